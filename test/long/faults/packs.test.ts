import { afterEach, describe, expect, test } from "@jest/globals";
import { sweepProject } from "../../../functions/domain/sweep/project-sweep.ts";
import { packKey, packsPrefix } from "../../../functions/files/object-keys.ts";
import { listObjects, readObject, readVerified } from "../../../functions/files/store.ts";
import { contentOf, newPack, packed, sendPack } from "../../support/service/packs.ts";
import { startRecordedService } from "../../support/service/recorded-service.ts";
import { upload } from "../../support/service/steps.ts";
import { duringTests, useFunctionEnvironment, useOwner } from "../../support/service/suite.ts";
import { type StoreFault, startRecordedStore } from "../../support/store/store-recorder.ts";
import { storedProject } from "../../support/table/stored-project.ts";
import { sweepOf } from "../../support/table/sweeping.ts";

/*
 * Packs whose unpacking is stopped, or that others send at the same time; and what becomes of those that nobody unpacks.
 */
const store = duringTests(() => startRecordedStore(undefined, { skewMilliseconds: Number.POSITIVE_INFINITY }));
const service = duringTests(() => startRecordedService({ env: { S3_ENDPOINT: store.endpoint } }));
const ada = useOwner(service);
useFunctionEnvironment(service, () => ({ S3_ENDPOINT: store.endpoint }));
afterEach(() => store.plan(undefined));

/** A new release, and its pack in the store. */
async function storedPack(actor: Pick<typeof ada, "post"> = ada) {
  const { files, pack, folder } = newPack();
  const { body } = await actor.post(`/projects/${ada.slug}/releases`, { files });
  const release: string = body.release.id;
  const path = `/projects/${ada.slug}/releases/${release}/packs`;
  const given = { slot: 0, ...contentOf(pack) };
  expect(await upload((await actor.post(path, given)).body.upload, pack)).toBe(200);
  return { release, files, pack, folder, unpack: () => actor.post(path, given) };
}

/** What the store has of a release, each under the hash that is its own. */
async function assertStored(
  files: readonly { readonly sha256: string; readonly br?: { readonly sha256: string } | undefined }[],
) {
  for (const name of files.flatMap(({ sha256: own, br }) => (br ? [own, br.sha256] : [own])))
    await readVerified(`projects/${ada.slug}/files/${name}`, name);
}

describe("a function that unpacks", () => {
  /** Requests to the store of one that nothing stops. */
  async function requestsOfOne(): Promise<string[]> {
    const { unpack } = await storedPack();
    const requests = await store.during(async () => expect((await unpack()).body).toMatchObject({ unpacked: true }));
    const own = requests.filter(({ path }) => !/\/(?:checks|facts)\//.test(path) && !/manifests/.test(path));
    return own.filter(({ kind, path }) => kind !== "list" || path.includes("/files/")).map(({ kind }) => kind);
  }

  test("writes what it found out, then the files, and then deletes the pack", async () => {
    const kinds = await requestsOfOne();
    expect(kinds[0]).toBe("get");
    expect(kinds.filter((kind) => kind === "put")).toHaveLength(4);
    expect(kinds.filter((kind) => kind === "delete")).toHaveLength(1);
  });

  test.each<[string, StoreFault]>([
    ["stopped", "break"],
    ["stopped once it has", "lose-response"],
    ["refused by the store", 503],
  ])("that is %s, at whichever request, loses nothing and goes on when it is asked again", async (_, fault) => {
    let isOver = false;
    for (let stopAt = 0; !isOver && stopAt < 20; stopAt += 1) {
      const { release, files, unpack } = await storedPack();
      let requests = 0;
      const isOfPack = ({ kind, path }: { kind: string; path: string }) =>
        path.includes("/packs/") || path.includes("/found/") || (kind === "put" && path.includes("/files/"));
      store.plan((request) => {
        if (!isOfPack(request) || (request.kind === "get" && request.path.includes("/found/"))) return undefined;
        requests += 1;
        return requests > stopAt ? fault : undefined;
      });
      const { status } = await unpack();
      isOver = requests <= stopAt;
      // Whether the pack could be deleted changes nothing for who sent it.
      if (status !== 200) expect(status).toBe(503);
      store.plan(undefined);
      const again = await unpack();
      expect(again.status).toBe(200);
      const { body } = await ada.post(`/projects/${ada.slug}/releases`, { files });
      expect(body.missing).toEqual(status === 200 || again.body.unpacked ? [] : expect.anything());
      if (body.missing.length > 0) continue;
      await assertStored(files);
      expect(await ada.post(`/projects/${ada.slug}/releases/${release}/publish`)).toMatchObject({ status: 200 });
    }
    expect(isOver).toBe(true);
  });
});

test("two publications of the same files at once store them once, whoever sends them", async () => {
  const { files, folder, pack } = newPack();
  const token = await ada.token({ scopes: ["publish"] });
  const { body } = await ada.post(`/projects/${ada.slug}/releases`, { files });
  const release = { slug: ada.slug, id: body.release.id };
  const other = packed(folder["index.html"], folder["game.js"]);
  const sending = [
    sendPack(ada, release, pack),
    sendPack(token, release, other),
    sendPack(token, { ...release, slot: 1 }, pack),
  ];
  for (const { status, body: sent } of await Promise.all(sending))
    expect({ status, ...sent }).toMatchObject({ status: 200, unpacked: true });
  await assertStored(files);
  expect(await token.post(`/projects/${ada.slug}/releases/${release.id}/publish`)).toMatchObject({ status: 200 });
});

test("the copies in a pack are facts: nobody unpacks them again", async () => {
  const { files, release, unpack } = await storedPack();
  const copy = files.find(({ br }) => br)?.br?.sha256;
  const requests = await store.during(async () => {
    await unpack();
    expect(await ada.post(`/projects/${ada.slug}/releases/${release}/publish`)).toMatchObject({ status: 200 });
  });
  expect(requests.filter(({ kind, path }) => kind === "put" && path.includes("/facts/"))).toHaveLength(1);
  expect(requests.filter(({ kind, path }) => kind === "get" && path.endsWith(`/files/${copy}`))).toEqual([]);
});

/** The releases whose packs are stored. */
async function storedPacks(): Promise<(string | undefined)[]> {
  const prefix = packsPrefix(ada.slug);
  const { objects } = await listObjects({ prefix, startAfter: prefix, maximum: 1_000 });
  return objects.map(({ key }) => key.slice(prefix.length).split("/")[0]);
}

test("the sweep deletes the packs of drafts that have ended, and no other", async () => {
  await sweepProject(ada.slug, sweepOf());
  const [ended, open] = [await storedPack(), await storedPack()];
  expect(await storedPacks()).toEqual(expect.arrayContaining([ended.release, open.release]));
  expect(await ada.post(`/projects/${ada.slug}/releases/${ended.release}/withdraw`)).toMatchObject({ status: 200 });
  // What was deleted goes when its upload URLs have expired.
  await sweepProject(ada.slug, sweepOf({ later: 2 * 3_600_000 }));
  expect(await storedPacks()).not.toContain(ended.release);
  expect(await storedPacks()).toContain(open.release);
  expect((await open.unpack()).body).toMatchObject({ unpacked: true });
  expect(await storedPacks()).not.toContain(open.release);
});

test("a pack is no file: nobody reads it, and its room is not counted", async () => {
  const used = async () => Number((await storedProject(service, ada.slug)).items["PROJECT"]?.["usedBytes"]);
  const { files, pack } = newPack();
  const { body } = await ada.post(`/projects/${ada.slug}/releases`, { files });
  const before = await used();
  const path = `/projects/${ada.slug}/releases/${body.release.id}/packs`;
  const asked = await ada.post(path, { slot: 0, ...contentOf(pack) });
  expect(await upload(asked.body.upload, pack)).toBe(200);
  expect(await used()).toBe(before);
  const key = packKey(ada.slug, { release: body.release.id, slot: 0 });
  expect(await readObject(key)).toEqual(pack);
  const url = asked.body.upload.url.replace("x-id=PutObject", "x-id=GetObject");
  for (const read of [`${store.endpoint}/svc-local/${key}`, asked.body.upload.url, url])
    expect((await fetch(read)).status).toBe(403);
});
