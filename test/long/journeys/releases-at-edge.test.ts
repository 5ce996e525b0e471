import { describe, expect, test } from "@jest/globals";
import { releaseName } from "../../../edge/pointer.ts";
import { ReleasedGame, type Texts } from "../../support/edge/released-game.ts";
import { ColdTestEdge, gamesDomain, TestLocation, useEdge } from "../../support/edge/suite.ts";
import { storeOf } from "../../support/edge/viewer-runtime.ts";
import { randomNumbers } from "../../support/random.ts";

/*
 * What a release leaves in the edge's cache (docs/decisions/0050-the-pointer.md#what-a-release-leaves-in-the-cache).
 */

const edge = useEdge();

function playedGame(slug: string, isCold = false) {
  const game = new ReleasedGame(slug);
  const values = new Map<string, string>();
  const clock = { seconds: 0 };
  const now = () => clock.seconds;
  const location = new TestLocation(edge, storeOf(values), now);
  const played = isCold ? new ColdTestEdge(edge, storeOf(values), now) : location;
  const goLive = (digest: string) => {
    game.goLive(digest);
    // What was missing before is kept for 5 s.
    clock.seconds += 6;
    values.set(slug, game.pointer);
  };
  const play = async (path: string, { visit, ...headers }: { visit?: string; "if-none-match"?: string } = {}) => {
    const cookie = visit && { cookie: `__Host-svc-release=${releaseName(visit)}` };
    const sent = { "sec-fetch-dest": "script", ...headers, ...cookie };
    const {
      status,
      body,
      from,
      headers: got,
    } = await played.play(`${slug}.${gamesDomain}`, {
      path: `/${encodeURI(path)}`,
      headers: sent,
    });
    return { status, text: body.toString(), from, headers: got };
  };
  /** How many of the files are misses. */
  const missesOf = async (paths: readonly string[], visit?: string) => {
    const before = location.counts.misses;
    for (const path of paths) await play(path, { ...(visit && { visit }) });
    return location.counts.misses - before;
  };
  return {
    game,
    goLive,
    play,
    missesOf,
    location,
    withdraw: (digest: string) => {
      game.withdraw(digest);
      values.set(slug, game.pointer);
    },
  };
}

function textsOf(count: number, version: (index: number) => number): Texts {
  const names = Array.from({ length: count }, (_, index) => `assets/level-${index}.js`);
  return Object.fromEntries(names.map((name, index) => [name, String(version(index))]));
}

describe("after a release that changes", () => {
  test.each([
    [1, 100],
    [20, 100],
    [3, 30],
    [75, 100],
  ])("%i of %i files, at most these and 2 %% are misses at a warm location, and so after the next", async (k, n) => {
    const { game, goLive, missesOf } = playedGame(`changes-${k}-of-${n}`);
    goLive(await game.store(textsOf(n, () => 0)));
    const paths = Object.keys(textsOf(n, () => 0));
    expect(await missesOf(paths)).toBe(n);
    for (const release of [1, 2]) {
      // Others each time.
      const texts = textsOf(n, (index) =>
        (index + release * k) % n < k ? release : index < k && release === 2 ? 1 : 0,
      );
      const changed = paths.filter((path) => texts[path] !== before(release)[path]).length;
      goLive(await game.store(texts));
      const misses = await missesOf(paths);
      expect(misses).toBeGreaterThanOrEqual(changed);
      expect(misses).toBeLessThanOrEqual(changed + 0.02 * n);
      expect(await missesOf(paths)).toBe(0);
    }

    function before(release: number): Texts {
      return release === 1 ? textsOf(n, () => 0) : textsOf(n, (index) => ((index + k) % n < k ? 1 : 0));
    }
  });
});

test("a file that no release changes is asked for once in fifty releases, also by visits that go on", async () => {
  const { game, goLive, missesOf } = playedGame("fifty-releases");
  const engine = { "engine.wasm": "engine" };
  let last = await game.store({ ...engine, "index.html": "0" });
  goLive(last);
  await missesOf(["engine.wasm"]);
  for (let release = 1; release <= 50; release += 1) {
    const visit = last;
    last = await game.store({ ...engine, "index.html": String(release), [`chunk-${release}.js`]: String(release) });
    goLive(last);
    expect([release, await missesOf(["engine.wasm"]), await missesOf(["engine.wasm"], visit)]).toEqual([release, 0, 0]);
  }
});

test("a changed setting goes into every response", async () => {
  const { game, goLive, play } = playedGame("new-settings");
  goLive(await game.store({ "a.js": "a" }));
  expect((await play("a.js")).headers).not.toHaveProperty("cross-origin-embedder-policy");
  goLive(await game.store({ "a.js": "a" }, { isolation: true }));
  expect((await play("a.js")).headers).toMatchObject({ "cross-origin-embedder-policy": "require-corp" });
});

test("a page's folder, its redirect, its name without ending and a name outside of ASCII change with their file", async () => {
  const { game, goLive, play } = playedGame("forms");
  const decomposed = "u\u0308";
  goLive(await game.store({ "a/index.html": "1", "b.html": "1", "ü.js": "1", "レベル.js": "1" }));
  expect([(await play("a")).status, (await play(`${decomposed}.js`)).text]).toEqual([302, "1"]);
  await play("レベル.js");
  expect(await play("b")).toMatchObject({ status: 200, text: "1" });
  goLive(await game.store({ a: "file", "b.html": "2", "ü.js": "2", "レベル.js": "1" }));
  expect([await play("a"), await play("a/"), await play(`${decomposed}.js`), await play("ü.js")]).toMatchObject([
    { status: 200, text: "file" },
    { status: 404 },
    { text: "2" },
    { text: "2" },
  ]);
  expect(await play("b")).toMatchObject({ text: "2", from: "Miss" });
  expect(await play("レベル.js")).toMatchObject({ text: "1", from: "Hit" });
});

test("what a withdrawn release had alone is gone, also with its cookie, and after the same files went live again", async () => {
  const { game, goLive, play, withdraw } = playedGame("withdrawn-files");
  goLive(await game.store({ "a.js": "1", "same.js": "same" }));
  const leaked = await game.store({ "a.js": "secret", "key.txt": "key", "same.js": "same" });
  goLive(leaked);
  for (const visit of [undefined, leaked])
    for (const path of ["a.js", "key.txt"]) await play(path, { ...(visit && { visit }) });
  goLive(await game.store({ "a.js": "3", "same.js": "same" }));
  expect(await play("key.txt", { visit: leaked })).toMatchObject({ text: "key" });
  expect(await play("key.txt")).toMatchObject({ status: 404 });
  withdraw(leaked);
  for (const visit of [undefined, leaked])
    expect([
      await play("a.js", { ...(visit && { visit }) }),
      await play("key.txt", { ...(visit && { visit }) }),
    ]).toMatchObject([{ status: 200, text: "3" }, { status: 404 }]);
});

test.each([
  ["at a warm location", 24, false],
  ["at cold locations", 6, true],
])("after random releases and rollbacks every visit gets its own release's files %s", async (where, count, isCold) => {
  const random = randomNumbers(37);
  const { game, goLive, play } = playedGame(`random-${where.split(" ")[1]}`, isCold);
  const contents = new Map<string, Texts>();
  const went: string[] = [];
  let files: Record<string, string> = { ...textsOf(8, () => 0) };
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  for (let release = 0; release < count; release += 1) {
    if (release > 3 && random() < 0.3) goLive(went[went.push(pick(went.slice(-4))) - 1] ?? "");
    else {
      files = { ...files };
      for (let change = 0; change < 3; change += 1) {
        const path = `assets/level-${Math.floor(random() * 10)}.js`;
        if (random() < 0.3) delete files[path];
        else files[path] = `${path} ${release}.${change}`;
      }
      const digest = await game.store(files);
      contents.set(digest, files);
      went.push(digest);
      goLive(digest);
    }
    const live = went.at(-1) ?? "";
    const earlier = [...new Set(went.toReversed())].slice(0, 6);
    for (let index = 0; index < 10; index += 1) {
      const path = `assets/level-${index}.js`;
      for (const visit of [undefined, ...earlier]) {
        const { text, status } = await play(path, { ...(visit && { visit }) });
        const own = contents.get(visit ?? live)?.[path] ?? contents.get(live)?.[path];
        expect({ release, path, visit, text: status === 404 ? undefined : text }).toEqual({
          release,
          path,
          visit,
          text: own,
        });
      }
    }
  }
});
