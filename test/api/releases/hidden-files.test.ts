import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { nameOfParts } from "../../../contract/folder/parts.ts";
import { sweepProject } from "../../../functions/domain/sweep/project-sweep.ts";
import { fileKey, proofsPrefix } from "../../../functions/files/object-keys.ts";
import { findMissing } from "../../../functions/files/presence.ts";
import { listObjects } from "../../../functions/files/store.ts";
import { keys } from "../../../functions/table/keys.ts";
import type { Actor } from "../../support/service/actors.ts";
import { useJobs } from "../../support/service/jobs.ts";
import {
  type Folder,
  manifestOf,
  openRelease,
  publish,
  sha256,
  type UploadUrl,
  upload,
  withDeltas,
} from "../../support/service/steps.ts";
import { useFunctionEnvironment, useSharedOwner } from "../../support/service/suite.ts";
import { setAttribute } from "../../support/table/stored.ts";

/*
 * Who may only open previews knows the SHA-256 of a file, and not its bytes: the project's having it opens no preview.
 */
const { service, ada, path, trustGitHub, githubJob, tokenOf } = useJobs(useSharedOwner);
useFunctionEnvironment(service);
let at: string;
beforeEach(() => {
  at = path("releases");
});

const mebibyte = 1024 * 1024;
const incomplete = { status: 409, body: { code: "release_incomplete" } };
const show = (id: string, by: Actor) => by.post(`${at}/${id}/preview`, { name: "mine" });
const previewer = () => ada.token({ scopes: ["preview"] });
const open = async (caller: Actor, files: unknown) => (await caller.post(at, { files })).body;

/** Opens a release of these files and a preview of it, and sends nothing. */
async function shownUnsent(caller: Actor, files: ReturnType<typeof manifestOf>) {
  const { release, missing } = await open(caller, files);
  return { id: release.id as string, missing: missing as string[], response: await show(release.id, caller) };
}

const secret = "hidden bytes";
const named = () => [...manifestOf({ "index.html": "page" }), ...manifestOf({ "stolen.txt": secret })];
/** Sends the page, and not what is hidden. */
async function withoutSecret(caller: Actor, files: ReturnType<typeof manifestOf>): Promise<string> {
  const { release } = await open(caller, files);
  const { uploads } = (await caller.post(`${at}/${release.id}/uploads`, { sha256: [sha256("page")] })).body;
  await upload(uploads[0], "page");
  return release.id;
}

describe("a file of the project that a caller who may only open previews may not see", () => {
  test.each<[string, () => Promise<unknown>]>([
    [
      "another's preview",
      async () => {
        const { body } = await openRelease(ada, ada.slug, { "index.html": "x", "secret.txt": secret });
        expect((await ada.post(`${at}/${body.release.id}/preview`, { name: "hers" })).status).toBe(200);
      },
    ],
    [
      "an earlier release",
      async () => {
        await publish(ada, ada.slug, { "index.html": "1", "secret.txt": secret });
        await publish(ada, ada.slug, { "index.html": "2" });
      },
    ],
  ])("is missing until it has sent the bytes: one of %s", async (_, hide) => {
    await hide();
    const token = await previewer();
    const { id, missing, response } = await shownUnsent(token, named());
    expect(missing).toContain(sha256(secret));
    expect(response).toMatchObject(incomplete);
    const unsent = await withoutSecret(token, named());
    expect(await show(unsent, token)).toMatchObject(incomplete);
    expect((await open(token, named())).missing).toEqual([sha256(secret)]);
    const { uploads } = (await token.post(`${at}/${id}/uploads`, { sha256: [sha256(secret)] })).body;
    expect(await upload(uploads[0], "other bytes!")).toBe(400);
    expect(await show(id, token)).toMatchObject(incomplete);
    expect(await upload(uploads[0], secret)).toBe(200);
    expect((await show(id, token)).status).toBe(200);
    expect((await open(token, named())).missing).toEqual([]);
  });

  test("is missing for a job, too, and what one branch has sent another has not", async () => {
    await trustGitHub({ may: "preview", events: ["pull_request"] });
    const pull = (branch: string) =>
      githubJob({ event_name: "pull_request", ref: "refs/pull/12/merge", head_ref: branch });
    const first = await tokenOf(pull("faster"));
    const { body } = await openRelease(first, ada.slug, { "index.html": "page", "stolen.txt": secret });
    expect((await show(body.release.id, first)).status).toBe(200);
    const again = await tokenOf(pull("faster"));
    expect((await open(again, named())).missing).toEqual([]);
    const other = await tokenOf(pull("slower"));
    const found = await shownUnsent(other, named());
    expect(found.id).toBe(body.release.id);
    expect(found.missing.toSorted()).toEqual([sha256("page"), sha256(secret)].toSorted());
    expect(found.response).toMatchObject(incomplete);
  });

  test("is not shown by finding another's draft of the very same files", async () => {
    await openRelease(ada, ada.slug, { "index.html": "page", "stolen.txt": secret });
    const token = await previewer();
    expect((await shownUnsent(token, named())).response).toMatchObject(incomplete);
  });

  test("is not shown if it arrives after the draft was opened", async () => {
    const token = await previewer();
    const id = await withoutSecret(token, named());
    await openRelease(ada, ada.slug, { "index.html": "x", "secret.txt": secret });
    expect(await show(id, token)).toMatchObject(incomplete);
  });

  test("is not shown once it is in the live release no more", async () => {
    await publish(ada, ada.slug, { "index.html": "1", "secret.txt": secret });
    const token = await previewer();
    const id = await withoutSecret(token, named());
    expect((await show(id, token)).status).toBe(200);
    await publish(ada, ada.slug, { "index.html": "2" });
    expect(await show(id, token)).toMatchObject(incomplete);
  });

  test("is neither a Brotli copy, nor a delta, nor an index", async () => {
    const hidden = "x".repeat(500);
    await openRelease(ada, ada.slug, { "index.html": "x", "secret.txt": hidden });
    const copy = { size: hidden.length, sha256: sha256(hidden) };
    const text = "page".repeat(1_000);
    const [page] = manifestOf({ "index.html": text });
    const token = await previewer();
    for (const more of [{ br: copy }, { deltas: [{ ...copy, dictionary: sha256("y") }] }, { index: copy }]) {
      const { body } = await token.post(at, { files: [{ ...page, ...more }] });
      for (const url of body.first_uploads.uploads as UploadUrl[])
        if (url.sha256 === page?.sha256) expect([200, 412]).toContain(await upload(url, text));
      expect(await show(body.release.id, token)).toMatchObject(incomplete);
    }
  });

  test("is no dictionary that tells whether a delta unpacks", async () => {
    const hidden = randomBytes(4_000).toString("hex");
    await openRelease(ada, ada.slug, { "index.html": "x", "secret.txt": hidden });
    const token = await previewer();
    const page = `${hidden.slice(0, 7_900)}end`;
    const { files, bytes } = withDeltas({ "index.html": page }, hidden);
    const wrong = files.map((file) => ({ ...file, sha256: sha256("p".repeat(file.size)) }));
    const id = (
      await openRelease(token, ada.slug, { ...bytes, "index.html": "p".repeat(page.length) } as Folder, wrong)
    ).body.release.id;
    expect((await show(id, token)).status).toBe(200);
  });

  test("is a file above 16 MiB, and gives no part to another one", async () => {
    const large = Buffer.alloc(17 * mebibyte, randomBytes(4_099));
    const pieces = [0, 5, 10, 15].map((start) => large.subarray(start * mebibyte, (start + 5) * mebibyte));
    const parts = pieces.map((piece) => sha256(piece));
    const name = nameOfParts(parts);
    const files = [
      { path: "index.html", size: 1, sha256: sha256("1") },
      { path: "world.pck", size: large.length, sha256: name },
    ];
    const body = { parts, bytes_per_part: 5 * mebibyte };
    type PartUrl = UploadUrl & { readonly number: number };
    const sendAll = async (caller: Actor, id: string) => {
      const { parts: urls } = (await caller.post(`${at}/${id}/uploads/${name}`, body)).body;
      for (const url of urls as PartUrl[]) expect(await upload(url, pieces[url.number - 1] ?? "")).toBe(200);
      return (await caller.post(`${at}/${id}/uploads/${name}`, body)).body;
    };
    const token = await previewer();
    const { id } = (await open(token, files)).release;
    const urls = (await token.post(`${at}/${id}/uploads`, { sha256: [sha256("1")] })).body.uploads;
    expect(await upload(urls[0], "1")).toBe(200);

    const hers = await open(ada, [{ path: "index.html", size: 1, sha256: sha256("2") }, ...files.slice(1)]);
    // Parts that are on their way are nobody else's either.
    const begun = (await ada.post(`${at}/${hers.release.id}/uploads/${name}`, body)).body.parts as PartUrl[];
    for (const url of begun) expect(await upload(url, pieces[url.number - 1] ?? "")).toBe(200);
    expect((await token.post(`${at}/${id}/uploads/${name}`, body)).body).toMatchObject({ stored: false });
    expect(await sendAll(ada, hers.release.id)).toMatchObject({ stored: true });
    const copies = parts.map((_, index) => ({ number: index + 1, sha256: name, offset: index * 5 * mebibyte }));
    const asked = (await token.post(`${at}/${id}/uploads/${name}`, { ...body, copies })).body;
    expect(asked.parts).toHaveLength(4);
    expect(await show(id, token)).toMatchObject(incomplete);
    expect(await sendAll(token, id)).toMatchObject({ stored: true });
    expect((await show(id, token)).status).toBe(200);
  });
});

describe("what a caller who may only open previews has sent", () => {
  const proofs = async () =>
    (await listObjects({ prefix: proofsPrefix(ada.slug), startAfter: "", maximum: 1_000 })).objects;
  const sweep = (now = new Date()) =>
    sweepProject(ada.slug, { retention: { releases: 1, days: 0 }, now: () => now, hasTime: () => true });
  const isKept = async (text: string | Buffer, name = sha256(text)) =>
    (await findMissing({ slug: ada.slug }, new Map([[name, Buffer.byteLength(text)]]))).length === 0;

  test("becomes the project's with its preview, above 16 MiB too", async () => {
    const large = Buffer.alloc(17 * mebibyte, randomBytes(4_099));
    const pieces = [0, 5, 10, 15].map((start) => large.subarray(start * mebibyte, (start + 5) * mebibyte));
    const name = nameOfParts(pieces.map((piece) => sha256(piece)));
    const token = await previewer();
    const page = manifestOf({ "index.html": "page" });
    const { release } = await open(token, [...page, { path: "world.pck", size: large.length, sha256: name }]);
    const sending = { parts: pieces.map((piece) => sha256(piece)), bytes_per_part: 5 * mebibyte };
    for (const url of (await token.post(`${at}/${release.id}/uploads`, { sha256: [sha256("page")] })).body.uploads)
      await upload(url, "page");
    for (const url of (await token.post(`${at}/${release.id}/uploads/${name}`, sending)).body.parts)
      await upload(url, pieces[url.number - 1] ?? "");
    expect((await token.post(`${at}/${release.id}/uploads/${name}`, sending)).body).toMatchObject({ stored: true });
    expect(await isKept(large, name)).toBe(false);
    expect((await show(release.id, token)).status).toBe(200);
    expect([await isKept(large, name), await isKept("page")]).toEqual([true, true]);
    const { objects } = await listObjects({ prefix: fileKey(ada.slug, name), startAfter: "", maximum: 1 });
    expect(objects).toMatchObject([{ size: large.length }]);
  });

  test("whoever may publish makes live, also if nobody has opened a preview", async () => {
    const { body } = await openRelease(await previewer(), ada.slug, { "index.html": "page" });
    expect((await ada.post(`${at}/${body.release.id}/publish`)).status).toBe(200);
    expect(await isKept("page")).toBe(true);
  });

  test("is deleted with its last draft, with what is unfinished, and not before", async () => {
    const token = await previewer();
    const first = (await openRelease(token, ada.slug, { "index.html": "page", "a.txt": "a" })).body.release.id;
    const second = (await openRelease(token, ada.slug, { "index.html": "page", "b.txt": "b" })).body.release.id;
    await openRelease(ada, ada.slug, { "index.html": "page" });
    expect((await show(second, token)).status).toBe(200);
    expect(await proofs()).toHaveLength(3);
    expect(await sweep()).toMatchObject({ outcome: "done" });
    expect(await proofs()).toHaveLength(3);
    await setAttribute(service, keys.release(ada.slug, first), "ttl", 1);
    await sweep();
    expect((await proofs()).map(({ key }) => key.slice(-64)).toSorted()).toEqual(
      [sha256("page"), sha256("b")].toSorted(),
    );
    expect((await show(second, token)).status).toBe(200);
    await setAttribute(service, keys.release(ada.slug, second), "ttl", 1);
    await ada.delete(path("previews/mine"));
    await sweep();
    expect(await proofs()).toEqual([]);
    expect(await isKept("page")).toBe(true);
  });
});
