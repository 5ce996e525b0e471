import { afterEach, expect, test } from "@jest/globals";
import { sweepProjects } from "../../../../functions/domain/sweep/projects.ts";
import { keys } from "../../../../functions/table/keys.ts";
import { projectsAfter } from "../../../../functions/table/sweep/run-items.ts";
import { newProject, publish, sha256 } from "../../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useServiceOfAnyTime } from "../../../support/service/suite.ts";
import { removeItem, setAttribute, storedItem, storeItems } from "../../../support/table/stored.ts";
import { storedProject } from "../../../support/table/stored-project.ts";
import { sweepOf } from "../../../support/table/sweeping.ts";
import { runSweeper } from "./sweeper-process.ts";

/*
 * The scheduled runs of the sweeper through all projects (docs/decisions/0016-sweep.md). In a service of its own, because they
 * take every project of the table.
 */
const service = useServiceOfAnyTime();
const ada = useOwner(service);
useFunctionEnvironment(service);

afterEach(() => service.recorder.plan(undefined));

const minute = 60_000;
const day = 24 * 60 * minute;
const longAgo = "2020-01-01T00:00:00.000Z";
/** The state of the runs when a new round is due. */
/** What a version left that did not check copies. */
const roundBefore = { ...keys.sweep(), leaseEndsAt: longAgo, beganAt: longAgo, endedAt: longAgo, attempts: {} };
const dueRound = { ...roundBefore, checksCopies: true };

test("runs go on if the time was over, one at a time, and begin anew after a day", async () => {
  for (let count = 0; count < 3; count += 1) {
    const other = await newProject(ada);
    await publish(ada, other, { "index.html": "1" });
  }
  let left = 3;
  const short = { ...sweepOf(), hasTime: () => left-- > 0 };
  const first = await sweepProjects(short);
  expect(first).toMatchObject({ isRoundComplete: false, failures: [] });
  const second = await sweepProjects(sweepOf());
  expect(second).toMatchObject({ isRoundComplete: true, failures: [] });
  expect(first?.projects).toBeGreaterThan(0);
  expect(second?.projects).toBeGreaterThan(1);
  expect(await sweepProjects(sweepOf({ later: 23 * 60 * minute }))).toBeUndefined();
  expect(await sweepProjects(sweepOf({ later: 25 * 60 * minute }))).toMatchObject({ isRoundComplete: true });
  await setAttribute(service, keys.sweep(), "leaseEndsAt", new Date(Date.now() + 100 * day).toISOString());
  expect(await sweepProjects(sweepOf({ later: 99 * day }))).toBeUndefined();
});

test("a project of which a draft was deleted is swept before its turn, an hour and a minute later, and its room is free", async () => {
  await removeItem(service, keys.sweep());
  await sweepProjects(sweepOf());
  const slug = await newProject(ada);
  const files = [{ path: "large", size: 5_000, sha256: "a".repeat(64) }];
  const { id } = (await ada.post(`/projects/${slug}/releases`, { files })).body.release;
  const used = async () => (await storedItem(service, keys.project(slug)))?.["usedBytes"];
  expect(await used()).toBeGreaterThan(5_000);
  await ada.post(`/projects/${slug}/releases/${id}/withdraw`);
  expect(await sweepProjects(sweepOf({ later: 60 * minute }))).toBeUndefined();
  expect(await used()).toBeGreaterThan(5_000);
  expect(await sweepProjects(sweepOf({ later: 62 * minute }))).toMatchObject({ projects: 1, endedReleases: 1 });
  expect(await used()).toBe(0);
  expect(await sweepProjects(sweepOf({ later: 63 * minute }))).toBeUndefined();
});

test("a project of which a release was deleted is swept by the next run", async () => {
  await removeItem(service, keys.sweep());
  await sweepProjects(sweepOf());
  const slug = await newProject(ada);
  const bad = await publish(ada, slug, { "index.html": "bad" });
  await publish(ada, slug, { "index.html": "good" });
  await ada.post(`/projects/${slug}/releases/${bad}/withdraw`);
  expect(await sweepProjects(sweepOf({ later: 1_000 }))).toMatchObject({ projects: 1, deletedObjects: 2 });
  const { objects } = await storedProject(service, slug);
  expect(objects).toContain(`files/${sha256("good")}`);
  expect(objects).not.toContain(`files/${sha256("bad")}`);
});

test.each([
  ["the first one ever", []],
  ["the first one of a round", [dueRound]],
])("of two runs that begin at the same time one sweeps: %s", async (_, state) => {
  await removeItem(service, keys.sweep());
  await storeItems(service, state);
  const runs = await Promise.all([sweepProjects(sweepOf()), sweepProjects(sweepOf())]);
  expect(runs.filter((run) => run !== undefined)).toHaveLength(1);
});

test("a run begins when the lease of the one before ends, a round a day after the one before began", async () => {
  const now = new Date();
  const at = (milliseconds: number) => new Date(now.getTime() + milliseconds).toISOString();
  const begins = async (state: object) => {
    await storeItems(service, [{ ...dueRound, ...state }]);
    return (await sweepProjects({ ...sweepOf(), now: () => now, hasTime: () => false })) !== undefined;
  };
  expect([await begins({ leaseEndsAt: at(1) }), await begins({ leaseEndsAt: at(0) })]).toEqual([false, true]);
  expect([await begins({ beganAt: at(1 - day) }), await begins({ beganAt: at(-day) })]).toEqual([false, true]);
});

test("the first run of a version that checks copies begins a round at once, which the next one goes on with", async () => {
  const now = new Date();
  await storeItems(service, [{ ...roundBefore, beganAt: now.toISOString(), endedAt: now.toISOString() }]);
  const run = () => sweepProjects({ ...sweepOf(), now: () => now, hasTime: () => false });
  expect(await run()).toMatchObject({ isRoundComplete: false });
  const { beganAt } = (await storedItem(service, keys.sweep())) ?? {};
  now.setMinutes(now.getMinutes() + 20);
  expect(await run()).toMatchObject({ isRoundComplete: false });
  expect(await storedItem(service, keys.sweep())).toMatchObject({ beganAt, checksCopies: true });
});

test("runs end if another one has taken over, and sweep nothing more", async () => {
  await storeItems(service, [dueRound]);
  await publish(ada, ada.slug, { "index.html": "1" });
  const other = new Date(Date.now() + day).toISOString();
  let stored = 0;
  let lease = "";
  service.recorder.plan(({ operation, input }) => {
    if (operation !== "PutItem" || !JSON.stringify(input).includes(keys.sweep().PK)) return undefined;
    stored += 1;
    if (stored === 1) lease = /leaseEndsAt\W+(?:S\W+)?([\d:.TZ-]+)/.exec(JSON.stringify(input))?.[1] ?? "";
    if (stored !== 2) return undefined;
    return { kind: "overtaken", by: setAttribute(service, keys.sweep(), "leaseEndsAt", other) };
  });
  expect(await sweepProjects(sweepOf())).toMatchObject({ projects: 0, isRoundComplete: false });
  expect([stored, await storedItem(service, keys.sweep())]).toMatchObject([2, { leaseEndsAt: other }]);
  // A function runs for at most 15 minutes.
  expect((Date.parse(lease) - Date.now()) / minute).toBeCloseTo(16, 0);
});

test("runs go on with a round that takes longer than a day", async () => {
  const state = {
    leaseEndsAt: longAgo,
    beganAt: longAgo,
    after: ada.slug,
    attempts: { [ada.slug]: 2 },
    checksCopies: true,
  };
  await storeItems(service, [{ ...keys.sweep(), ...state }]);
  expect(await sweepProjects({ ...sweepOf(), hasTime: () => false })).toMatchObject({ isRoundComplete: false });
  expect(await storedItem(service, keys.sweep())).toMatchObject({ ...state, leaseEndsAt: expect.any(String) });
});

test("runs find the projects of a table that one read does not return", async () => {
  const slugs = [ada.slug, await newProject(ada), await newProject(ada), await newProject(ada)];
  for (const each of slugs) await setAttribute(service, keys.project(each), "description", "x".repeat(390_000));
  const found: string[] = [];
  for await (const each of projectsAfter(undefined)) found.push(each);
  expect(slugs.filter((each) => !found.includes(each))).toEqual([]);
  expect(new Set(found).size).toBe(found.length);
  for (const each of slugs) await setAttribute(service, keys.project(each), "description", null);
});

test("runs report a project that cannot be swept, and try it again", async () => {
  await storeItems(service, [dueRound]);
  await publish(ada, ada.slug, { "index.html": "1" });
  service.recorder.plan(({ operation, input }) =>
    operation === "Query" && JSON.stringify(input).includes(`PROJECT#${ada.slug}`)
      ? { kind: "refuse", error: "ValidationException" }
      : undefined,
  );
  expect(await sweepProjects(sweepOf())).toMatchObject({ failures: [{ slug: ada.slug }], isRoundComplete: true });
  expect(await storedItem(service, keys.sweep())).toMatchObject({ attempts: { [ada.slug]: 1 } });
  service.recorder.plan(undefined);
  expect(await sweepProjects(sweepOf({ later: minute }))).toMatchObject({ projects: 1, failures: [] });
  expect((await storedItem(service, keys.sweep()))?.["attempts"]).toEqual({});
});

test("runs try a project again whose deletion another sweeper may still be carrying out", async () => {
  const deletion = {
    epoch: 1,
    leaseEndsAt: new Date().toISOString(),
    files: new Uint8Array(),
    manifests: new Uint8Array(),
  };
  await storeItems(service, [dueRound, { ...keys.deletionIntent(ada.slug), ...deletion }]);
  await setAttribute(service, keys.project(ada.slug), "epoch", 1);
  await setAttribute(service, keys.project(ada.slug), "deleting", true);
  expect(await sweepProjects(sweepOf())).toMatchObject({ failures: [], isRoundComplete: true });
  expect(await storedItem(service, keys.sweep())).toMatchObject({ attempts: { [ada.slug]: 1 } });
  expect(await sweepProjects(sweepOf({ later: 6 * minute }))).toMatchObject({ projects: 1, failures: [] });
  expect((await storedItem(service, keys.sweep()))?.["attempts"]).toEqual({});
});

/** Four projects with garbage each, and a run of a sweeper's process, some minutes from now, which some of them kill. */
async function projectsWithGarbage() {
  await storeItems(service, [dueRound]);
  const slugs = [ada.slug, await newProject(ada), await newProject(ada), await newProject(ada)];
  for (const each of slugs) for (const page of ["garbage", "live"]) await publish(ada, each, { "index.html": page });
  return {
    slugs,
    run: (minutes: number, killing: readonly string[]) =>
      runSweeper(service, ["run", String(minutes * minute)], { KILL_AT_PATH: killing.join() }),
    swept: async () => {
      const stored = await Promise.all(slugs.map((each) => storedProject(service, each)));
      return stored.map(({ objects }) => !objects.includes(`files/${sha256("garbage")}`));
    },
  };
}

test.each([1, 4])("%i of four projects that stop each run that sweeps them let the round end", async (count) => {
  const { slugs, run, swept } = await projectsWithGarbage();
  const killing = slugs.slice(0, count);
  const isKilling = slugs.map((each) => killing.includes(each));
  let minutes = 17;
  const others = async () => ({
    endedAt: (await storedItem(service, keys.sweep()))?.["endedAt"],
    swept: await swept(),
  });
  // Two stopped runs of each, and one of the first that comes last.
  for (let killed = 0; killed <= 2 * count; killed += 1, minutes += 17)
    expect((await run(minutes, killing)).wasKilled).toBe(true);
  expect(await others()).toEqual({ endedAt: expect.any(String), swept: isKilling.map((kills) => !kills) });
  // The next day's round sweeps the others again, and ends.
  minutes += 24 * 60;
  await run(minutes, killing);
  const { endedAt, attempts } = (await storedItem(service, keys.sweep())) ?? {};
  expect({ endedAt, left: Object.keys(attempts as object).toSorted() }).toEqual({
    endedAt: expect.any(String),
    left: killing.toSorted(),
  });
  // Once they stop no run any more, one run sweeps them all.
  expect(JSON.parse((await run(minutes + 17, ["none"])).output)).toMatchObject({ projects: count, failures: [] });
  expect(await swept()).toEqual([true, true, true, true]);
});

test("a project whose manifests take longer to read than a run has time keeps no other from being swept", async () => {
  const { slugs, swept } = await projectsWithGarbage();
  const [slow = ""] = slugs;
  let isReading = false;
  service.recorder.plan(({ operation, input }) => {
    if (operation === "Query") isReading = JSON.stringify(input).includes(`PROJECT#${slow}`);
    return undefined;
  });
  const sweep = { ...sweepOf({ later: 0 }), hasTime: () => !isReading };
  for (let run = 1; run <= 3; run += 1) {
    isReading = false;
    await setAttribute(service, keys.sweep(), "leaseEndsAt", longAgo);
    await sweepProjects(sweep);
  }
  service.recorder.plan(undefined);
  expect(await storedItem(service, keys.sweep())).toMatchObject({
    endedAt: expect.any(String),
    attempts: { [slow]: 3 },
  });
  expect(await swept()).toEqual([false, true, true, true]);
});
