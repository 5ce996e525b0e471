import { randomBytes } from "node:crypto";
import { brotliCompressSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { packOf } from "../../../contract/folder/packs.ts";
import { contentOf, newPack, packable, packed, sendPack } from "../../support/service/packs.ts";
import { openRelease, sha256, upload } from "../../support/service/steps.ts";
import { useService, useSharedOwner } from "../../support/service/suite.ts";
import { time } from "../../support/wire-time.ts";

const service = useService();
const ada = useSharedOwner(service);

async function open(files: readonly object[], actor: Pick<typeof ada, "post"> = ada) {
  const { status, body } = await actor.post(`/projects/${ada.slug}/releases`, { files });
  expect(status).toBeLessThan(300);
  return { slug: ada.slug, id: body.release.id as string, missing: body.missing as string[] };
}

async function missingOf(files: readonly object[], actor = ada): Promise<string[]> {
  return (await open(files, actor)).missing;
}

describe("a pack", () => {
  test("is sent to a URL that takes its bytes alone, and then its files are stored, those that were in it as Brotli copies too", async () => {
    const { files, pack } = newPack();
    const release = await open(files);
    expect(release.missing).toHaveLength(3);
    const path = `/projects/${ada.slug}/releases/${release.id}/packs`;
    const body = { slot: 3, ...contentOf(pack) };
    const asked = await ada.post(path, body);
    const target = { url: expect.any(String), headers: expect.objectContaining({ "if-none-match": "*" }) };
    expect(asked).toMatchObject({ status: 200, body: { unpacked: false, upload: target, expires_at: time } });
    expect(await upload(asked.body.upload, Buffer.from(pack).fill("x", pack.length - 1))).toBe(400);
    expect(await upload(asked.body.upload, pack)).toBe(200);
    expect(await missingOf(files)).toHaveLength(3);
    const unpacked = { status: 200, body: { unpacked: true, upload: null, expires_at: time } };
    expect(await ada.post(path, body)).toMatchObject(unpacked);
    expect(await missingOf(files)).toEqual([]);
    expect(await ada.post(`/projects/${ada.slug}/releases/${release.id}/publish`)).toMatchObject({ status: 200 });
  });

  test("changes nothing if it is sent again, nor if its files are there", async () => {
    const { folder, files, pack } = newPack();
    const { body } = await openRelease(
      ada,
      ada.slug,
      { ...folder, copy: brotliCompressSync(folder["game.js"]) },
      files,
    );
    const release = { slug: ada.slug, id: body.release.id };
    for (const slot of [0, 0, 1]) expect((await sendPack(ada, { ...release, slot }, pack)).body.unpacked).toBe(true);
    expect(await missingOf(files)).toEqual([]);
  });

  test("takes the place of one in its slot that nobody has unpacked", async () => {
    const [first, second] = [newPack(), newPack()];
    const release = await open([...first.files, ...second.files.map((file) => ({ ...file, path: `2/${file.path}` }))]);
    const path = `/projects/${ada.slug}/releases/${release.id}/packs`;
    const asked = await ada.post(path, { slot: 0, ...contentOf(first.pack) });
    expect(await upload(asked.body.upload, first.pack)).toBe(200);
    expect((await sendPack(ada, release, second.pack)).body.unpacked).toBe(true);
    expect((await ada.post(path, { slot: 0, ...contentOf(first.pack) })).body.unpacked).toBe(false);
  });

  test("is of who sends it: another credential has other packs in the same slots", async () => {
    const { files, pack } = newPack();
    const release = await open(files);
    const token = await ada.token({ scopes: ["publish"] });
    const path = `/projects/${ada.slug}/releases/${release.id}/packs`;
    const body = { slot: 0, ...contentOf(pack) };
    expect(await upload((await ada.post(path, body)).body.upload, pack)).toBe(200);
    expect((await token.post(path, body)).body.unpacked).toBe(false);
    expect((await ada.post(path, body)).body.unpacked).toBe(true);
  });

  test("of who may only open previews stays its own until it may be played, as other files of it", async () => {
    const { files, pack } = newPack();
    const token = await ada.token({ scopes: ["preview"] });
    const release = await open(files, token);
    expect((await sendPack(token, release, pack)).body.unpacked).toBe(true);
    expect(await missingOf(files)).toHaveLength(3);
    expect((await open(files, token)).missing).toEqual([]);
    expect(await token.post(`/projects/${ada.slug}/releases/${release.id}/preview`)).toMatchObject({ status: 200 });
  });

  test("may have deltas, indexes and whatever else is small", async () => {
    const index = `index ${randomBytes(8).toString("hex")}`;
    const page = `page of ${index}`;
    const files = [{ path: "index.html", ...contentOf(page), index: contentOf(index) }];
    const release = await open(files);
    expect((await sendPack(ada, release, packed(page, index))).body.unpacked).toBe(true);
    expect(await missingOf(files)).toEqual([]);
  });
});

describe("of a refused pack nothing is written, and the file is named:", () => {
  const game = Buffer.from(`let id = "${randomBytes(8).toString("hex")}";\n`.repeat(100));
  const other = brotliCompressSync(Buffer.from(game).fill("x", 0, 1));
  const bomb = brotliCompressSync(Buffer.alloc(8 * 1024 * 1024));
  const large = randomBytes(64 * 1024 + 1);
  const { files, sent } = packable({ "a/page.html": `<p>${game.subarray(0, 40)}`, "game.js": game });
  const [page = game, copy = game] = sent;
  const named = (bytes: Buffer, as: Buffer) => ({ sha256: sha256(as), bytes });
  const all = [
    ...files,
    { path: "lie.js", ...contentOf(game), br: contentOf(other) },
    { path: "zeros.js", size: 1_000, sha256: sha256("zeros"), br: { size: 50, sha256: sha256(bomb) } },
    { path: "large.bin", ...contentOf(large) },
  ];

  test.each<[string, () => Buffer, RegExp]>([
    [
      "bytes under the hash of another",
      () => Buffer.from(packOf([named(page, page), named(page, copy)])),
      /game\.js has other bytes/,
    ],
    ["a cut one", () => packed(page, copy).subarray(0, -1), /cut behind a\/page\.html/],
    ["a file twice", () => packed(page, copy, page), /a\/page\.html twice/],
    ["what the release does not name", () => packed(page, "stranger"), new RegExp(sha256("stranger"))],
    ["a copy of something else", () => packed(page, other), /Brotli copy of lie\.js does not unpack/],
    ["a file that is not small", () => packed(page, large), /large\.bin is too large/],
  ])("%s", async (_, pack, problem) => {
    const { slug, id, missing } = await open(all.filter(({ path }) => path !== "zeros.js"));
    const response = await sendPack(ada, { slug, id }, pack());
    expect(response).toMatchObject({
      status: 422,
      body: { code: "pack_refused", detail: expect.stringMatching(problem) },
    });
    expect((await open(all.filter(({ path }) => path !== "zeros.js"))).missing).toEqual(missing);
    // Nor is it stored any more.
    const again = await ada.post(`/projects/${slug}/releases/${id}/packs`, { slot: 0, ...contentOf(pack()) });
    expect(again.body.unpacked).toBe(false);
  });

  test("a copy that unpacks to 8 MiB in place of 1,000 bytes", async () => {
    const zeros = { ...contentOf(bomb), path: "zeros.js" };
    const files = [
      { path: "zeros.js", size: 1_000, sha256: sha256("zeros"), br: { size: zeros.size, sha256: zeros.sha256 } },
    ];
    const { slug, id, missing } = await open(files);
    expect(await sendPack(ada, { slug, id }, packed(bomb))).toMatchObject({
      status: 422,
      body: { code: "pack_refused", detail: expect.stringMatching(/Brotli copy of zeros\.js does not unpack/) },
    });
    expect(await missingOf(files)).toEqual(missing);
  });

  test("more than 1,000 files", async () => {
    const texts = Array.from({ length: 1_001 }, (_, index) => `${game.subarray(8, 30)} ${index}`);
    const files = texts.map((text, index) => ({ path: `${index}.txt`, ...contentOf(text) }));
    const release = await open(files);
    expect((await sendPack(ada, release, packed(...texts))).body).toMatchObject({ code: "pack_refused" });
    expect((await sendPack(ada, release, packed(...texts.slice(1)))).body.unpacked).toBe(true);
    expect(await missingOf(files)).toEqual([sha256(texts[0] ?? "")]);
  });
});
