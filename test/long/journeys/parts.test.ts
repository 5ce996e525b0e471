import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { nameOfParts } from "../../../contract/folder/parts.ts";
import { fileKey } from "../../../functions/files/object-keys.ts";
import { writeObject } from "../../../functions/files/store.ts";
import { keys } from "../../../functions/table/keys.ts";
import { play } from "../../support/service/play.ts";
import { sha256, type UploadUrl, upload } from "../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useService } from "../../support/service/suite.ts";
import { setAttribute } from "../../support/table/stored.ts";
import { storedProject } from "../../support/table/stored-project.ts";

const service = useService();
const ada = useOwner(service);
useFunctionEnvironment(service);

type PartUrl = UploadUrl & { readonly number: number };

const mebibyte = 1024 * 1024;
/** The parts of clients that do not say how long theirs are. */
const usualBytesPerPart = 16 * mebibyte;
/** The shortest that there are, so that five are 20 MiB. */
const bytesPerPart = 5 * mebibyte;
/** The longest file that is sent in one piece only. */
const largestWhole = 16 * mebibyte;
/** Five parts. */
const bytes = Buffer.alloc(20 * mebibyte + 1, randomBytes(4_099));
const pieces = Array.from({ length: 5 }, (_, index) =>
  bytes.subarray(index * bytesPerPart, (index + 1) * bytesPerPart),
);
const parts = pieces.map((piece) => sha256(piece));
const file = { path: "world.pck", size: bytes.length, sha256: nameOfParts(parts) };

let path: string;
const said = (hashes: readonly string[]) => ({ parts: hashes, bytes_per_part: bytesPerPart });
const send = (hashes: readonly string[] = parts, name = file.sha256) =>
  ada.post(`${path}/uploads/${name}`, said(hashes));
/** Another file of five parts. */
const otherBytes = (mask: number) => {
  const other = Buffer.from(bytes);
  for (let index = 0; index < other.length; index += bytesPerPart) other[index] = (other[index] ?? 0) ^ mask;
  return other;
};

beforeEach(async () => {
  const page = { path: "index.html", size: 1, sha256: sha256("1") };
  const { body } = await ada.post(`/projects/${ada.slug}/releases`, { files: [file, page] });
  path = `/projects/${ada.slug}/releases/${body.release.id}`;
});

describe("POST …/uploads/:sha256", () => {
  test("refuses parts that are not those of the file, so nobody can say what a name holds", async () => {
    const refused = (detail: string) => ({
      status: 422,
      body: { code: "validation_failed", errors: [{ pointer: "/parts", detail }] },
    });
    const foreign = parts.with(2, sha256("another part"));
    expect(await send(foreign)).toMatchObject(refused("are not those of this file"));
    expect(await send(parts.toReversed())).toMatchObject(refused("are not those of this file"));
    expect(await send(parts.slice(1))).toMatchObject(refused("are not those of this file"));
    const elsewhere = `are of no file of this release above ${largestWhole} bytes`;
    expect(await send(foreign, nameOfParts(foreign))).toMatchObject(refused(elsewhere));
    expect(await send(parts, sha256("1"))).toMatchObject(refused(elsewhere));
    expect(await send(["x", "y"])).toMatchObject({ status: 422 });
  });

  test("refuses the parts of the longest file that is sent in one piece", async () => {
    const four = parts.slice(1);
    const whole = { path: "world.pck", size: largestWhole, sha256: nameOfParts(four) };
    const { body } = await ada.post(`/projects/${ada.slug}/releases`, { files: [whole] });
    path = `/projects/${ada.slug}/releases/${body.release.id}`;
    expect(await send(four, whole.sha256)).toMatchObject({
      status: 422,
      body: { code: "validation_failed" },
    });
  });

  test("refuses a file whose SHA-256 somebody else's parts claim", async () => {
    const claimed = { path: "world.pck", size: bytes.length, sha256: sha256(bytes) };
    const { body } = await ada.post(`/projects/${ada.slug}/releases`, { files: [claimed] });
    const url = `/projects/${ada.slug}/releases/${body.release.id}/uploads/${claimed.sha256}`;
    expect(await ada.post(url, said(parts))).toMatchObject({ status: 422, body: { code: "validation_failed" } });
  });

  test("gives URLs for the bytes of each part alone, goes on where it was, completes the file once, and it is played", async () => {
    const first = await send();
    expect(first).toMatchObject({ status: 200, body: { stored: false } });
    expect(first.body.parts.map(({ number }: PartUrl) => number)).toEqual([1, 2, 3, 4, 5]);
    const [one, two] = first.body.parts;
    const wrong = Buffer.alloc(bytesPerPart, "x");
    expect(await upload(one, wrong)).toBe(400);
    expect(await upload({ ...one, headers: two.headers }, pieces[1] ?? "")).toBe(403);
    for (const { number } of [one, two].map((url: PartUrl) => url))
      expect(await upload(first.body.parts[number - 1], pieces[number - 1] ?? "")).toBe(200);
    const again = await send();
    expect(again.body.parts.map(({ number }: PartUrl) => number)).toEqual([3, 4, 5]);
    expect(await ada.post(`${path}/publish`)).toMatchObject({ status: 409, body: { code: "release_incomplete" } });
    for (const url of again.body.parts) expect(await upload(url, pieces[url.number - 1] ?? "")).toBe(200);
    expect((await storedProject(service, ada.slug)).objects).not.toContain(`files/${file.sha256}`);
    // A manifest that gives the file another size finds no last part of that size.
    const { body: lie } = await ada.post(`/projects/${ada.slug}/releases`, {
      files: [{ ...file, size: file.size + 1 }],
    });
    const lacking = await ada.post(
      `/projects/${ada.slug}/releases/${lie.release.id}/uploads/${file.sha256}`,
      said(parts),
    );
    expect(lacking.body).toMatchObject({ stored: false, parts: [{ number: 5 }] });
    expect(await send()).toMatchObject({ status: 200, body: { stored: true, parts: [] } });
    expect((await storedProject(service, ada.slug)).objects).toContain(`files/${file.sha256}`);
    // The upload is over: its URLs write nothing, and asking again begins none.
    expect(await upload(one, pieces[0] ?? "")).toBe(404);
    expect(await send()).toMatchObject({ status: 200, body: { stored: true, parts: [] } });
    // Played byte for byte.
    const uploads = await ada.post(`${path}/uploads`, { sha256: [sha256("1")] });
    expect(await upload(uploads.body.uploads[0], "1")).toBe(200);
    expect(await ada.post(`${path}/publish`)).toMatchObject({ status: 200 });
    const response = await fetch(`${service.api}/projects/${ada.slug}/files/world.pck`);
    expect(sha256(Buffer.from(await response.arrayBuffer()))).toBe(sha256(bytes));
  }, 120_000);

  test.each<[string, number | undefined]>([
    ["in parts of the API's default length", undefined],
    ["in parts of another length", 7 * mebibyte + 1],
  ])(
    "a file that was sent %s is played byte for byte",
    async (_, length) => {
      const content = randomBytes(17 * mebibyte);
      const each = length ?? usualBytesPerPart;
      const slices = Array.from({ length: Math.ceil(content.length / each) }, (_, index) =>
        content.subarray(index * each, (index + 1) * each),
      );
      const hashes = slices.map((slice) => sha256(slice));
      const name = nameOfParts(hashes);
      const listed = { path: "world.pck", size: content.length, sha256: name };
      const { body } = await ada.post(`/projects/${ada.slug}/releases`, { files: [listed] });
      const release = `/projects/${ada.slug}/releases/${body.release.id}`;
      const request = { parts: hashes, ...(length !== undefined && { bytes_per_part: length }) };
      const { body: missing } = await ada.post(`${release}/uploads/${name}`, request);
      for (const url of missing.parts) expect(await upload(url, slices[url.number - 1] ?? "")).toBe(200);
      expect(await ada.post(`${release}/uploads/${name}`, request)).toMatchObject({ body: { stored: true } });
      expect(await ada.post(`${release}/publish`)).toMatchObject({ status: 200 });
      const { headers } = await play(service, ada.slug, { path: "/world.pck" });
      const played = await play(service, ada.slug, { path: String(headers["location"]) });
      expect({ status: played.status, sha256: sha256(played.body) }).toEqual({ status: 200, sha256: sha256(content) });
    },
    120_000,
  );

  test("two completions at once store the file whole, and both say so", async () => {
    const other = otherBytes(1);
    const slices = pieces.map((_, index) => other.subarray(index * bytesPerPart, (index + 1) * bytesPerPart));
    const hashes = slices.map((slice) => sha256(slice));
    const name = nameOfParts(hashes);
    const { body } = await ada.post(`/projects/${ada.slug}/releases`, { files: [{ ...file, sha256: name }] });
    const release = `/projects/${ada.slug}/releases/${body.release.id}`;
    const request = () => ada.post(`${release}/uploads/${name}`, said(hashes));
    for (const url of (await request()).body.parts) expect(await upload(url, slices[url.number - 1] ?? "")).toBe(200);
    const responses = await Promise.all([request(), request(), request()]);
    for (const response of responses) expect(response).toMatchObject({ status: 200, body: { stored: true } });
    expect(await ada.post(`${release}/publish`)).toMatchObject({ status: 200 });
    const response = await fetch(`${service.api}/projects/${ada.slug}/files/world.pck`);
    expect(sha256(Buffer.from(await response.arrayBuffer()))).toBe(sha256(other));
  }, 120_000);

  test("a file is not stored while its name has other bytes, as a completion that was broken off leaves them", async () => {
    const other = otherBytes(2);
    const slices = pieces.map((_, index) => other.subarray(index * bytesPerPart, (index + 1) * bytesPerPart));
    const hashes = slices.map((slice) => sha256(slice));
    const name = nameOfParts(hashes);
    const { body } = await ada.post(`/projects/${ada.slug}/releases`, { files: [{ ...file, sha256: name }] });
    const url = `/projects/${ada.slug}/releases/${body.release.id}/uploads/${name}`;
    for (const part of (await ada.post(url, said(hashes))).body.parts)
      expect(await upload(part, slices[part.number - 1] ?? "")).toBe(200);
    await writeObject(fileKey(ada.slug, name), Buffer.from("cut off"));
    expect(await ada.post(url, said(hashes))).toMatchObject({
      status: 503,
      body: { code: "temporarily_unavailable" },
    });
  }, 120_000);

  test("a part's URL is valid no longer than the open release that counts the file", async () => {
    const other = Array.from({ length: 5 }, (_, index) => sha256(`late ${index}`));
    const name = nameOfParts(other);
    const { body } = await ada.post(`/projects/${ada.slug}/releases`, { files: [{ ...file, sha256: name }] });
    const { id } = body.release;
    await setAttribute(service, keys.release(ada.slug, id), "ttl", Math.floor(Date.now() / 1_000) + 100);
    const late = await ada.post(`/projects/${ada.slug}/releases/${id}/uploads/${name}`, said(other));
    const lifetimes = late.body.parts.map(({ url }: PartUrl) => Number(new URL(url).searchParams.get("X-Amz-Expires")));
    expect(Math.min(...lifetimes)).toBeGreaterThan(90);
    expect(Math.max(...lifetimes)).toBeLessThanOrEqual(100);
    expect(Date.parse(late.body.expires_at)).toBeLessThanOrEqual(Date.now() + 100_000);
  });
});
