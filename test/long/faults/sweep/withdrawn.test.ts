import { beforeEach, expect, test } from "@jest/globals";
import { sweepProject } from "../../../../functions/domain/sweep/project-sweep.ts";
import { Manifest } from "../../../../functions/files/manifests.ts";
import { keys } from "../../../../functions/table/keys.ts";
import {
  type Folder,
  makeLive,
  manifestOf,
  openRelease,
  publish,
  sha256,
  withDeltas,
  withIndexes,
} from "../../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useServiceOfAnyTime } from "../../../support/service/suite.ts";
import { storedItem } from "../../../support/table/stored.ts";
import { storedProject } from "../../../support/table/stored-project.ts";
import { sweepOf } from "../../../support/table/sweeping.ts";

/*
 * The sweep's work on withdrawn releases (docs/decisions/0048-withdrawal.md).
 */
const service = useServiceOfAnyTime();
const ada = useOwner(service);
useFunctionEnvironment(service);

const day = 86_400_000;
const bad = { "index.html": "bad", "secret.txt": "secret", shared: "shared" };
const [good, live] = [{ "index.html": "good" }, { "index.html": "live", shared: "shared" }];
let ids: { readonly good: string; readonly bad: string; readonly live: string };

const sweep = (later = 0) => sweepProject(ada.slug, sweepOf({ releases: 2, days: 90, later }));
const withdraw = (id: string) => ada.post(`/projects/${ada.slug}/releases/${id}/withdraw`);
const files = (folder: Folder) => Object.values(folder).map((text) => `files/${sha256(text)}`);
const manifest = (folder: Folder) => `manifests/${Manifest.of(manifestOf(folder)).digest}.zst`;
const stored = () => storedProject(service, ada.slug);

beforeEach(async () => {
  ids = {
    good: await publish(ada, ada.slug, good),
    bad: await publish(ada, ada.slug, bad),
    live: await publish(ada, ada.slug, live),
  };
});

test("the next sweep deletes what only a withdrawn release needs, and the account stores it no more", async () => {
  expect(await withdraw(ids.bad)).toMatchObject({ status: 200 });
  expect(await sweep()).toEqual({ outcome: "done", endedReleases: 0, deletedObjects: 3 });
  const { items, objects } = await stored();
  expect(objects).toEqual([...files(good), ...files(live), manifest(good), manifest(live)].toSorted());
  expect(items["PROJECT"]).toMatchObject({ usedObjects: 5 });
  expect((await ada.get(`/projects/${ada.slug}/releases/${ids.bad}`)).body).toMatchObject({ status: "withdrawn" });
  expect(await makeLive(ada, ada.slug, ids.bad)).toMatchObject({ status: 409, body: { code: "release_withdrawn" } });
});

test("a withdrawn release does not count among the kept ones, and is forgotten after as many days as others", async () => {
  await withdraw(ids.bad);
  const later = 89 * day;
  // Two are kept: without the withdrawn one the good one is the second.
  expect(await sweep(later)).toMatchObject({ endedReleases: 0 });
  const opened = () => ada.post(`/projects/${ada.slug}/releases`, { files: manifestOf(bad) });
  expect(await opened()).toMatchObject({ status: 409, body: { code: "release_withdrawn" } });
  expect(await sweep(91 * day)).toMatchObject({ endedReleases: 1 });
  const { items } = await stored();
  expect(Object.keys(items)).toEqual(["PROJECT", `RELEASE#${ids.good}`, `RELEASE#${ids.live}`]);
  expect(await makeLive(ada, ada.slug, ids.good)).toMatchObject({ status: 200 });
  expect(await opened()).toMatchObject({ status: 201 });
});

test("others with the same files end with the next sweep, and what keeps the files closed stays", async () => {
  const twin = await publish(ada, ada.slug, bad);
  await publish(ada, ada.slug, { "index.html": "newest" });
  const { id: open } = (await openRelease(ada, ada.slug, bad)).body.release;
  expect(new Set([twin, open, ids.bad]).size).toBe(3);
  await withdraw(ids.bad);
  expect(await sweep()).toMatchObject({ outcome: "done", endedReleases: 2 });
  for (const id of [twin, open])
    expect(await makeLive(ada, ada.slug, id)).toMatchObject({ status: 404, body: { code: "release_not_found" } });
  const { digest } = Manifest.of(manifestOf(bad));
  expect(await storedItem(service, keys.openManifest(ada.slug, digest))).toMatchObject({ releaseId: ids.bad });
});

const objectsBeside = [
  // The newest release has one of the withdrawn files, and so its delta.
  ["deltas", withDeltas, ["delta of shared"]],
  ["indexes", withIndexes, []],
] as const;

test.each(objectsBeside)(
  "a withdrawn release's %s go with it, and so do releases with its files and others, and the live ones stay",
  async (_, withMore, carried) => {
    const long = { "index.html": "withdrawn".repeat(200), shared: bad.shared.repeat(40) };
    const [before, meant] = [withMore(long, "before"), withMore(long, "meant")];
    const twin = await publish(ada, ada.slug, before.bytes, before.files);
    // It has the dictionary of the deltas after it.
    const between = { "index.html": "between", older: "meant" };
    await publish(ada, ada.slug, between);
    const id = await publish(ada, ada.slug, meant.bytes, meant.files);
    const newest = withMore({ ...long, "index.html": "newest".repeat(200) }, "newest");
    await publish(ada, ada.slug, newest.bytes, newest.files);
    expect(await withdraw(id)).toMatchObject({ status: 200 });
    expect(await sweep()).toMatchObject({ outcome: "done", endedReleases: 1 });
    expect(await makeLive(ada, ada.slug, twin)).toMatchObject({ status: 404 });
    const others = [good, bad, live, between].flatMap(files);
    const needed = [...files(newest.bytes), ...carried.map((name) => `files/${sha256(meant.bytes[name] ?? "")}`)];
    const { objects } = await stored();
    const left = objects.filter((name) => name.startsWith("files/"));
    expect(left).toEqual([...new Set([...others, ...needed])].toSorted());
  },
);

test.each(objectsBeside)(
  "the digest of its files without %s stays closed for as long as a withdrawn release is kept, and no longer",
  async (...[, withMore]) => {
    const long = { "index.html": "withdrawn".repeat(200) };
    const { bytes, files: withThem } = withMore(long, "one");
    const id = await publish(ada, ada.slug, bytes, withThem);
    await publish(ada, ada.slug, { "index.html": "newest" });
    await withdraw(id);
    const opened = (name?: string) =>
      ada.post(`/projects/${ada.slug}/releases`, { files: name ? withMore(long, name).files : manifestOf(long) });
    await sweep(89 * day);
    for (const name of [undefined, "one", "another"]) expect(await opened(name)).toMatchObject({ status: 409 });
    await sweep(91 * day);
    expect(Object.keys((await stored()).items).filter((key) => key.startsWith("MANIFEST#"))).toEqual([]);
    for (const name of [undefined, "one", "another"]) expect(await opened(name)).toMatchObject({ status: 201 });
  },
);

test("of a deleted project nothing is left", async () => {
  await withdraw(ids.bad);
  await ada.delete(`/projects/${ada.slug}`);
  expect(await sweep(8 * day)).toMatchObject({ outcome: "done", endedReleases: 3 });
  const { items, objects } = await stored();
  expect({ items: Object.keys(items), objects }).toEqual({ items: ["PROJECT"], objects: [] });
});
