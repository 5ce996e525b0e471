import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { nameOfParts } from "../../../contract/folder/parts.ts";
import { sweepProject } from "../../../functions/domain/sweep/project-sweep.ts";
import { beginUpload, copyPart, findUploads, unfinishedUploads } from "../../../functions/files/multipart.ts";
import { fileKey, filesPrefix } from "../../../functions/files/object-keys.ts";
import { writeObject } from "../../../functions/files/store.ts";
import { keys } from "../../../functions/table/keys.ts";
import { startRecordedService } from "../../support/service/recorded-service.ts";
import { makeLive, manifestOf, newProject, sha256, type UploadUrl, upload } from "../../support/service/steps.ts";
import { duringTests, useFunctionEnvironment, useOwner } from "../../support/service/suite.ts";
import { startRecordedStore } from "../../support/store/store-recorder.ts";
import { setAttribute } from "../../support/table/stored.ts";
import { deleteObject, storedProject } from "../../support/table/stored-project.ts";
import { sweepOf } from "../../support/table/sweeping.ts";

/*
 * Races of an upload in parts, and wrong hints for a copy of parts.
 */
const store = duringTests(startRecordedStore);
const service = duringTests(() => startRecordedService({ env: { S3_ENDPOINT: store.endpoint } }));
const ada = useOwner(service);
useFunctionEnvironment(service, () => ({ S3_ENDPOINT: store.endpoint }));
afterEach(() => {
  service.recorder.plan(undefined);
  store.plan(undefined);
});

const partBytes = 5 * 1024 * 1024;

describe("an upload in parts", () => {
  let parts: string[];
  let name: string;
  let release: string;
  beforeEach(async () => {
    const bytes = Buffer.alloc(4 * partBytes + 1, randomBytes(4_099));
    const pieces = Array.from({ length: 5 }, (_, index) => bytes.subarray(index * partBytes, (index + 1) * partBytes));
    parts = pieces.map((piece) => sha256(piece));
    name = nameOfParts(parts);
    const files = [...manifestOf({ "index.html": "1" }), { path: "world.pck", size: bytes.length, sha256: name }];
    const { body } = await ada.post(`/projects/${ada.slug}/releases`, { files });
    release = `/projects/${ada.slug}/releases/${body.release.id}`;
  });

  test.each([
    ["whole files", () => ["/uploads", { sha256: [name] }] as const],
    ["parts of a file", () => [`/uploads/${name}`, { parts, bytes_per_part: partBytes }] as const],
  ])("a token that is revoked before the URLs of %s are signed gets none", async (_, request) => {
    const token = await ada.token({ scopes: ["publish"] });
    await token.get("/me");
    let reads = 0;
    service.recorder.plan(({ operation }) => {
      if (operation !== "BatchGetItem") return undefined;
      reads += 1;
      return reads === 2
        ? { kind: "overtaken", by: ada.delete(`/tokens/${token.id}`).then(() => undefined) }
        : undefined;
    });
    const [path, body] = request();
    expect(await token.post(release + path, body)).toMatchObject({ status: 401, body: { code: "token_revoked" } });
  });

  test("of uploads that racing requests have begun, all but the oldest are aborted", async () => {
    const key = fileKey(ada.slug, name);
    await beginUpload(key);
    const [oldest] = await findUploads(key);
    for (let more = 0; more < 2; more += 1) {
      // The store tells their order in whole milliseconds.
      await new Promise((resolve) => setTimeout(resolve, 5));
      await beginUpload(key);
    }
    expect(await findUploads(key)).toHaveLength(3);
    const { body } = await ada.post(`${release}/uploads/${name}`, { parts, bytes_per_part: partBytes });
    expect(new URL(body.parts[0].url).searchParams.get("uploadId")).toBe(oldest);
    expect(await findUploads(key)).toEqual([oldest]);
  });
});

describe("parts of a draft that is discarded", () => {
  /** Opens a release of a file of four parts and a byte, sends its first part, and returns the file's name. */
  async function beginDraft(slug: string) {
    const bytes = Buffer.alloc(4 * partBytes + 1, randomBytes(4_099));
    const pieces = [0, 1, 2, 3, 4].map((index) => bytes.subarray(index * partBytes, (index + 1) * partBytes));
    const parts = pieces.map((piece) => sha256(piece));
    const name = nameOfParts(parts);
    const files = [...manifestOf({ "index.html": "1" }), { path: "world.pck", size: bytes.length, sha256: name }];
    const { id } = (await ada.post(`/projects/${slug}/releases`, { files })).body.release;
    const release = `/projects/${slug}/releases/${id}`;
    const { body } = await ada.post(`${release}/uploads/${name}`, { parts, bytes_per_part: partBytes });
    expect(await upload(body.parts[0] as UploadUrl, pieces[0] ?? "")).toBe(200);
    /** Discards it, as its publisher does, two hours ago. */
    const discard = async () => {
      expect((await ada.post(`${release}/withdraw`)).status).toBe(200);
      await setAttribute(service, keys.release(slug, id), "ttl", Math.floor(Date.now() / 1_000) - 7_200);
    };
    return { name, discard, send: () => ada.post(`${release}/uploads/${name}`, { parts, bytes_per_part: partBytes }) };
  }
  const used = async () => (await ada.get("/me")).body.storage.bytes;

  test("are deleted when they are counted no longer; those of a draft that stays, also of another project, stay", async () => {
    const before = await used();
    const discarded = await beginDraft(ada.slug);
    const kept = await beginDraft(ada.slug);
    const other = await newProject(ada);
    const elsewhere = await beginDraft(other);
    await discarded.discard();
    await sweepProject(ada.slug, sweepOf());
    const left = (slug: string) => unfinishedUploads(filesPrefix(slug)).then((all) => all.map(({ key }) => key));
    expect(await left(ada.slug)).toEqual([fileKey(ada.slug, kept.name)]);
    expect(await left(other)).toEqual([fileKey(other, elsewhere.name)]);
    expect((await kept.send()).body.parts).toHaveLength(4);
    // Both drafts that stay are counted in full.
    expect((await used()) - before).toBeGreaterThanOrEqual(2 * (4 * partBytes + 1));
    expect((await used()) - before).toBeLessThan(2 * (4 * partBytes + 1) + 100_000);
    await kept.discard();
    await sweepProject(ada.slug, sweepOf());
    expect(await left(ada.slug)).toEqual([]);
  });

  test("are found beyond the thousand of one list", async () => {
    const names = Array.from({ length: 1_003 }, (_, index) => sha256(`${index}`));
    for (let first = 0; first < names.length; first += 100)
      await Promise.all(names.slice(first, first + 100).map((name) => beginUpload(fileKey(ada.slug, name))));
    const found = await unfinishedUploads(filesPrefix(ada.slug));
    expect(found.map(({ key }) => key)).toEqual(names.map((name) => fileKey(ada.slug, name)).toSorted());
    await sweepProject(ada.slug, sweepOf());
    expect(await unfinishedUploads(filesPrefix(ada.slug))).toEqual([]);
  });

  test("are counted until the store has deleted them", async () => {
    const discarded = await beginDraft(ada.slug);
    await discarded.discard();
    const before = await used();
    store.plan(({ kind }) => (kind === "abort" ? 403 : undefined));
    await expect(sweepProject(ada.slug, sweepOf())).rejects.toThrow();
    store.plan(undefined);
    expect(await used()).toBe(before);
    await sweepProject(ada.slug, sweepOf());
    expect(await unfinishedUploads(filesPrefix(ada.slug))).toEqual([]);
    expect(await used()).toBeLessThan(before - 4 * partBytes);
  });
});

describe("a part that its publisher says to be in another file", () => {
  const mebibyte = 1024 * 1024;
  const size = 5 * mebibyte;
  /** The next file, of four parts. */
  const next = randomBytes(3 * size + mebibyte + 1);
  const pieces = [0, 1, 2, 3].map((index) => next.subarray(index * size, (index + 1) * size));
  const hashes = pieces.map(sha256);
  const file = nameOfParts(hashes);
  /** Bytes of the live file: 1,000 others, so many parts of the next file, and an end that is no part of it. */
  const shift = 1_000;
  const liveWith = (parts: number) =>
    Buffer.concat([randomBytes(shift), next.subarray(0, parts * size), randomBytes(mebibyte)]);
  /** Two parts are enough for a hint to the second one, and take less time to store. */
  const earlier = liveWith(2);
  const earlierHash = sha256(earlier);
  const whole = liveWith(4);
  let url: string;

  /** A release of this file under its SHA-256, which the store has. */
  async function releaseOf(world: Buffer, slug = ada.slug): Promise<string> {
    await writeObject(fileKey(slug, sha256(world)), world);
    await writeObject(fileKey(slug, sha256("1")), Buffer.from("1"));
    const files = manifestOf({ "index.html": "1", "world.pck": world });
    return (await ada.post(`/projects/${slug}/releases`, { files })).body.release.id;
  }
  const publishWorld = async (world: Buffer) => {
    const id = await releaseOf(world);
    expect((await makeLive(ada, ada.slug, id)).status).toBe(200);
    return id;
  };

  /** Opens the release of the next file. */
  async function openNext(more: readonly { path: string; size: number; sha256: string }[] = []): Promise<void> {
    const files = [
      ...manifestOf({ "index.html": "1" }),
      { path: "world.pck", size: next.length, sha256: file },
      ...more,
    ];
    const { body } = await ada.post(`/projects/${ada.slug}/releases`, { files });
    url = `/projects/${ada.slug}/releases/${body.release.id}/uploads/${file}`;
  }

  beforeEach(async () => {
    await publishWorld(earlier);
    await openNext();
  });

  interface Hint {
    readonly number: number;
    readonly sha256: string;
    readonly offset: number;
  }
  const hint = (number: number, changes: Partial<Hint> = {}): Hint => ({
    ...{ number, sha256: earlierHash, offset: shift + (number - 1) * size },
    ...changes,
  });
  const ask = async (copies: readonly Hint[] = []) =>
    await ada.post(url, { parts: hashes, bytes_per_part: size, copies });
  /** The parts that still have to be sent. */
  const missingAfter = async (copies: readonly Hint[]) => {
    const { body } = await ask(copies);
    return { stored: body.stored, missing: body.parts.map(({ number }: { number: number }) => number) };
  };
  const copiesDuring = async (action: () => Promise<unknown>) =>
    (await store.during(action)).filter(({ kind }) => kind === "copy").length;
  const played = async () => {
    const response = await fetch(`${service.api}/projects/${ada.slug}/files/world.pck`);
    return Buffer.from(await response.arrayBuffer());
  };

  test("is copied from any place of a file of the live release, and the file has its bytes", async () => {
    await publishWorld(whole);
    const all = [1, 2, 3, 4].map((number) => hint(number, { sha256: sha256(whole) }));
    expect(await missingAfter(all)).toEqual({ stored: true, missing: [] });
    expect((await ada.post(url.replace(/uploads.*/, "publish"))).status).toBe(200);
    expect((await played()).equals(next)).toBe(true);
    expect(await copiesDuring(() => ask(all))).toBe(0);
  });

  test("is copied from another file of the same release, once that is stored", async () => {
    const twin = { path: "twin.pck", size: earlier.length, sha256: sha256(Buffer.from("twin")) };
    await openNext([twin]);
    expect(await missingAfter([hint(1, { sha256: twin.sha256 })])).toEqual({ stored: false, missing: [1, 2, 3, 4] });
    await writeObject(fileKey(ada.slug, twin.sha256), earlier);
    expect(await missingAfter([hint(1, { sha256: twin.sha256 })])).toEqual({ stored: false, missing: [2, 3, 4] });
  });

  test.each<[string, () => Hint | Promise<Hint>, number]>([
    ["at a wrong offset", () => hint(2, { offset: shift + 1 }), 1],
    ["of another part", () => hint(2, { offset: shift }), 1],
    ["that ends behind the file", () => hint(2, { offset: earlier.length - size + 1 }), 0],
    ["that begins behind it", () => hint(2, { offset: earlier.length + 1 }), 0],
    ["far behind it", () => hint(2, { offset: 524_288_000 }), 0],
    ["of a part that the file does not have", () => hint(5, { offset: 0 }), 0],
    ["to a file that nobody has", () => hint(2, { sha256: sha256("none") }), 0],
    ["to the file itself", () => hint(2, { sha256: file, offset: size }), 1],
    [
      "to a file of another project",
      async () => {
        const other = await newProject(ada);
        const world = Buffer.concat([next, Buffer.from("other")]);
        await makeLive(ada, other, await releaseOf(world, other));
        return hint(2, { sha256: sha256(world), offset: size });
      },
      0,
    ],
    [
      "to a file of an open release",
      async () => {
        const world = Buffer.concat([next, Buffer.from("open")]);
        await releaseOf(world);
        return hint(2, { sha256: sha256(world), offset: size });
      },
      0,
    ],
    [
      "to a file of a release that was live",
      async () => {
        await publishWorld(randomBytes(16));
        return hint(2);
      },
      0,
    ],
    [
      "to a file of a withdrawn release",
      async () => {
        const [live] = (await ada.get(`/projects/${ada.slug}/releases`)).body.releases.filter(
          ({ status }: { status: string }) => status === "live",
        );
        await publishWorld(randomBytes(16));
        expect((await ada.post(`/projects/${ada.slug}/releases/${live.id}/withdraw`)).status).toBe(200);
        return hint(2);
      },
      0,
    ],
    [
      "to an object that is gone",
      async () => {
        await deleteObject(service, fileKey(ada.slug, earlierHash));
        return hint(2);
      },
      1,
    ],
    [
      "to a file of 5 MiB, of which S3 copies no range",
      async () => {
        const small = pieces[1] ?? Buffer.alloc(0);
        await publishWorld(small);
        return hint(2, { sha256: sha256(small), offset: 0 });
      },
      0,
    ],
  ])("%s gets an upload URL, and the file has its own bytes", async (_, wrong, copies) => {
    const hints = [await wrong()];
    expect(
      await copiesDuring(async () =>
        expect(await missingAfter(hints)).toEqual({ stored: false, missing: [1, 2, 3, 4] }),
      ),
    ).toBe(copies);
    // No other bytes than the publisher's can be in the file.
    if (copies === 0) return;
    const { body } = await ask();
    for (const target of body.parts as (UploadUrl & { number: number })[])
      expect(await upload(target, pieces[target.number - 1] ?? "")).toBe(200);
    expect(await missingAfter([])).toEqual({ stored: true, missing: [] });
    expect((await ada.post(url.replace(/uploads.*/, "publish"))).status).toBe(200);
    expect((await played()).equals(next)).toBe(true);
  });

  test("is sent if the live release does not have the file any more when it is copied, because it was swept", async () => {
    store.plan(async ({ kind }) => {
      if (kind !== "copy") return undefined;
      store.plan(undefined);
      const [live] = (await ada.get(`/projects/${ada.slug}/releases`)).body.releases.filter(
        ({ status }: { status: string }) => status === "live",
      );
      await publishWorld(randomBytes(16));
      await ada.post(`/projects/${ada.slug}/releases/${live.id}/withdraw`);
      await sweepProject(ada.slug, sweepOf());
      expect((await storedProject(service, ada.slug)).objects).not.toContain(`files/${earlierHash}`);
      return undefined;
    });
    expect(await missingAfter([hint(2)])).toEqual({ stored: false, missing: [1, 2, 3, 4] });
  });

  test("is copied again if the response of the store was lost, and stays if another request copies other bytes over it", async () => {
    const lost: string[] = [];
    await publishWorld(whole);
    const ofWhole = (number: number) => hint(number, { sha256: sha256(whole) });
    store.plan(({ kind }) => (kind === "copy" && lost.push(kind) === 1 ? "lose-response" : undefined));
    expect(await missingAfter([1, 2, 3].map(ofWhole))).toEqual({ stored: false, missing: [4] });
    const key = fileKey(ada.slug, file);
    const [uploadId = ""] = await findUploads(key);
    let overwritten = 0;
    store.plan(async ({ kind }) => {
      if (kind !== "complete" || ++overwritten > 1) return undefined;
      await copyPart({ key, uploadId, number: 2, size }, { key: fileKey(ada.slug, sha256(whole)), offset: 0 });
      return undefined;
    });
    expect(await missingAfter([ofWhole(4)])).toEqual({ stored: false, missing: [2] });
    expect(await missingAfter([ofWhole(2)])).toEqual({ stored: true, missing: [] });
    expect((await ada.post(url.replace(/uploads.*/, "publish"))).status).toBe(200);
    expect((await played()).equals(next)).toBe(true);
  });
});
