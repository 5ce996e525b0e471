import { brotliDecompressSync, zstdDecompressSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { releaseName } from "../../../edge/project/pointer.ts";
import { ReleasedGame, type Texts } from "../../support/edge/released-game.ts";
import { ColdTestEdge, gamesDomain, TestLocation, useEdge } from "../../support/edge/suite.ts";
import { storeOf } from "../../support/edge/viewer-runtime.ts";
import { randomNumbers } from "../../support/random.ts";
import type { GameResponse, Play } from "../../support/service/play.ts";
import { sha256 } from "../../support/service/steps.ts";

/*
 * A release's remains in the edge's cache (docs/decisions/0050-the-pointer.md#what-a-release-leaves-in-the-cache).
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
    // The response about a missing file is kept for 5 s.
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
  /** Number of the files that are misses. */
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

/** A text that is large enough to go by its content, and differs from other versions in a few places. */
function largeText(version: number): string {
  const lines = Array.from({ length: 262_144 / 16 }, (_, line) =>
    line % 1_000 === 7 ? `v${version}`.padEnd(15) : String((line * 7_919) % 999_983).padEnd(15),
  );
  return `${lines.join("\n")}\n`;
}

function textsOf(count: number, version: (index: number) => number): Texts {
  const names = Array.from({ length: count }, (_, index) => `assets/level-${index}.js`);
  return Object.fromEntries(names.map((name, index) => [name, String(version(index))]));
}

describe("after a release that changes", () => {
  test.each([
    [1, 100],
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

test("a large file that a release does not change is no miss, neither by its name nor by its content; a changed one is one miss of each", async () => {
  const { game, goLive, play, location } = playedGame("large-files");
  const load = async (path: string) => {
    const { status, headers } = await play(path);
    expect(status).toBe(307);
    const location = String(headers["location"]);
    const { text, from } = await play(location.slice(1));
    return [location.slice("/.well-known/svc/files/".length, -path.length - 1), sha256(text), from];
  };
  const files = { "same.pck": largeText(0), "data.bin": largeText(1), "index.html": "1" };
  const [same, first, second] = [largeText(0), largeText(1), largeText(2)].map((text) => sha256(text));
  goLive(await game.store(files));
  expect([await load("same.pck"), await load("data.bin")]).toEqual([
    [same, same, "Miss"],
    [first, first, "Miss"],
  ]);
  const { misses } = location.counts;
  goLive(await game.store({ ...files, "data.bin": largeText(2), "index.html": "2" }));
  expect([await load("same.pck"), await load("data.bin")]).toEqual([
    [same, same, "Hit"],
    [second, second, "Miss"],
  ]);
  expect(location.counts.misses - misses).toBe(2);
  goLive(await game.store({ ...files, "data.bin": largeText(2) }, { updates: "whole" }));
  expect(await play("data.bin")).toMatchObject({ status: 200, text: largeText(2) });
  expect(await play(`.well-known/svc/files/${second}/data.bin`)).toMatchObject({
    ...{ status: 307, headers: { location: "/data.bin" } },
  });
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

/** A browser of a returning player, as far as files that go by their content matter to it. */
class ReturningBrowser {
  readonly #keepsCookies: boolean;
  readonly #takesDeltas: boolean;
  readonly #play: (request: Play) => Promise<GameResponse>;
  readonly #kept = new Map<string, string>();
  /** Dictionaries by the path that they are for. */
  readonly #dictionaries = new Map<string, string>();
  /** The releases of its visit: the one that it has now, and the one before. */
  visit: readonly string[] = [];
  readonly seen = { deltas: 0, deltasOfHashes: 0, brotli: 0, kept: 0 };

  constructor(play: (request: Play) => Promise<GameResponse>, is: { keepsCookies: boolean; takesDeltas: boolean }) {
    this.#play = play;
    this.#keepsCookies = is.keepsCookies;
    this.#takesDeltas = is.takesDeltas;
  }

  async open(): Promise<string> {
    const { headers, body } = await this.#send("/", { "sec-fetch-dest": "document" });
    const [, value] = /release=([^;]*)/.exec(String(headers["set-cookie"] ?? "")) ?? [];
    if (value !== undefined && this.#keepsCookies) this.visit = value.split(".");
    return body.toString();
  }

  /** @param meanwhile happens before it follows the first redirect */
  async load(path: string, meanwhile: () => void): Promise<string | undefined> {
    let target = `/${path}`;
    for (let redirects = 0; redirects < 5; redirects += 1) {
      const kept = this.#kept.get(target);
      if (kept !== undefined) {
        this.seen.kept += 1;
        return kept;
      }
      const { status, headers, body } = await this.#send(target, this.#codings(target));
      if (status === 404) return undefined;
      if (status === 200) return this.#keep(target, headers, this.#decoded(target, headers, body));
      expect(status).toBe(307);
      target = String(headers["location"]);
      if (redirects === 0) meanwhile();
    }
    throw new Error(`${path} redirects for ever`);
  }

  async #send(path: string, headers: Readonly<Record<string, string>>): Promise<GameResponse> {
    const cookie = this.visit.length > 0 && { cookie: `__Host-svc-release=${this.visit.join(".")}` };
    return await this.#play({ path, headers: { "sec-fetch-dest": "empty", ...headers, ...cookie } });
  }

  #codings(target: string): Readonly<Record<string, string>> {
    if (!this.#takesDeltas) return { "accept-encoding": "gzip, deflate, br" };
    const dictionary = this.#dictionaries.get(target.replace(/[0-9a-f]{64}|(?<=-)\d{8}/, "*"));
    const digest = dictionary && Buffer.from(sha256(dictionary), "hex").toString("base64");
    return { "accept-encoding": "gzip, br, zstd, dcb, dcz", ...(digest && { "available-dictionary": `:${digest}:` }) };
  }

  #decoded(target: string, headers: GameResponse["headers"], body: Buffer): string {
    const { "content-encoding": coding } = headers;
    if (coding === undefined) return body.toString();
    if (coding === "br") {
      this.seen.brotli += 1;
      return brotliDecompressSync(body).toString();
    }
    expect(coding).toBe("dcz");
    const dictionary = [...this.#dictionaries.values()].find((each) => sha256(each) === body.toString("hex", 8, 40));
    if (dictionary === undefined) throw new Error("The delta is from a file that the browser does not have");
    this.seen[target.startsWith("/assets/") ? "deltasOfHashes" : "deltas"] += 1;
    return zstdDecompressSync(body.subarray(40), { dictionary: Buffer.from(dictionary) }).toString();
  }

  #keep(target: string, headers: GameResponse["headers"], text: string): string {
    if (!String(headers["cache-control"]).includes("immutable")) return text;
    if (!target.startsWith("/assets/")) expect(target).toContain(`/${sha256(text)}/`);
    this.#kept.set(target, text);
    const [, match] = /^match="(.*)"$/.exec(String(headers["use-as-dictionary"])) ?? [];
    if (match !== undefined) this.#dictionaries.set(match, text);
    return text;
  }
}

/** Enough for each run; lab/README.md has the command for a thousand, which take three minutes. */
const walks = Number(process.env["RANDOM_WALKS"] ?? 50);

test("in random walks of publications, rollbacks, withdrawals, visits and returns every byte is of the right file", async () => {
  const random = randomNumbers(58);
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const versions = [0, 1, 2, 3, 4].map(largeText);
  const paths = ["data.bin", "a b/more(1).pck"];
  /** Name of a file that browsers keep for good. */
  const hashedName = (text: string) => `assets/pack-0000000${versions.indexOf(text)}.bin`;
  const stored = new Set<string>();
  const values = new Map<string, string>();
  let seconds = 0;
  const location = new TestLocation(edge, storeOf(values), () => seconds);
  const walked = { deltas: 0, deltasOfHashes: 0, brotli: 0, kept: 0, loads: 0, withdrawn: 0 };
  for (let walk = 0; walk < walks; walk += 1) {
    const game = new ReleasedGame("random-walks", stored);
    location.purge();
    const contents = new Map<string, Texts>();
    // The newest is the first; a withdrawn one is in it no more.
    let went: string[] = [];
    const goLive = (digest: string) => {
      game.goLive(digest);
      went = [digest, ...went.filter((each) => each !== digest)];
      seconds += 6;
      values.set(game.slug, game.pointer);
    };
    const publishNext = async () => {
      const before = contents.get(went[0] ?? "") ?? {};
      const changed = paths.map((path) => [path, random() < 0.6 ? pick(versions) : (before[path] ?? versions[0])]);
      const hashed = random() < 0.6 ? pick(versions) : (versions[0] as string);
      const page = `walk ${walk} release ${contents.size}`;
      const files = Object.fromEntries([...changed, [hashedName(hashed), hashed], ["index.html", page]]);
      const large = Object.keys(files).filter((path) => path !== "index.html");
      const older = Object.fromEntries(
        large.map((path) => [path, versions.filter((text) => text !== files[path] && random() < 0.5).slice(0, 3)]),
      );
      const compressed = large.filter(() => random() < 0.3);
      const digest = await game.store(files, { immutable: ["assets/**"] }, older, compressed);
      contents.set(digest, files);
      goLive(digest);
    };
    const withdraw = () => {
      const [, ...earlier] = went;
      if (earlier.length === 0) return;
      const digest = pick(earlier);
      game.withdraw(digest);
      went = went.filter((each) => each !== digest);
      walked.withdrawn += 1;
      values.set(game.slug, game.pointer);
    };
    const rollBack = () => went.length > 1 && goLive(pick(went.slice(1, 5)));
    await publishNext();
    const send = (request: Play) => location.play(`${game.slug}.${gamesDomain}`, request);
    const browsers = [true, true, false].map(
      (takesDeltas, index) => new ReturningBrowser(send, { takesDeltas, keepsCookies: index !== 1 }),
    );
    const filesOf = ({ visit }: ReturningBrowser) => {
      const known = visit.find((name) => went.slice(0, 6).some((digest) => releaseName(digest) === name));
      const digest = went.find((each) => releaseName(each) === known) ?? went[0] ?? "";
      return contents.get(digest) ?? {};
    };
    for (let step = 0; step < 8; step += 1) {
      const change = random();
      if (change < 0.45) await publishNext();
      else if (change < 0.6) rollBack();
      else if (change < 0.75) withdraw();
      const browser = pick(browsers);
      if (random() < 0.7) expect(await browser.open()).toBe(contents.get(went[0] ?? "")?.["index.html"]);
      for (const path of paths) {
        const allowed = [filesOf(browser)[path]];
        const text = await browser.load(path, () => {
          if (random() < 0.1) (random() < 0.5 ? rollBack : withdraw)();
          allowed.push(filesOf(browser)[path]);
        });
        walked.loads += 1;
        expect([walk, step, path, allowed.map((each) => each && sha256(each))]).toEqual([
          ...[walk, step, path],
          expect.arrayContaining([text && sha256(text)]),
        ]);
      }
      // Paths that the page names, and at times those of another release's page.
      const own = Object.keys(filesOf(browser)).find((path) => path.startsWith("assets/")) ?? "";
      for (const path of random() < 0.2 ? [own, hashedName(pick(versions))] : [own]) {
        const text = await browser.load(path, () => undefined);
        const right = versions.find((version) => hashedName(version) === path);
        walked.loads += 1;
        expect([walk, step, path, text && sha256(text)]).toEqual([
          ...[walk, step, path],
          path === own || text !== undefined ? sha256(right ?? "") : undefined,
        ]);
      }
    }
    for (const { seen } of browsers)
      for (const name of ["deltas", "deltasOfHashes", "brotli", "kept"] as const) walked[name] += seen[name];
  }
  await location.stop();
  // Each way has been met.
  expect(walked.loads).toBeGreaterThan(24 * walks);
  for (const count of Object.values(walked)) expect(count).toBeGreaterThan(walks / 2);
}, 600_000);
