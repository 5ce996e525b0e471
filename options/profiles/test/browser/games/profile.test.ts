import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { click } from "../../../../../test/browser/dashboard/clicks.ts";
import {
  type BrowserName,
  type Player,
  type PlayerFactory,
  playing,
  usePlayers,
} from "../../../../../test/browser/games/players.ts";
import { until } from "../../../../../test/browser/until.ts";
import { type CliUser, cliEnvironment, cliProgram, createCliUser } from "../../../../../test/support/cli/cli.ts";
import { actorsOf, type Developer } from "../../../../../test/support/service/actors.ts";
import { manifestOf, newProject, publish, upload } from "../../../../../test/support/service/steps.ts";
import { useService } from "../../../../../test/support/service/suite.ts";
import type { TelemetryRecord } from "../../../contract/telemetry-records.ts";
import { summaryOf } from "../../../contract/telemetry-summary.ts";

/*
 * Games that are profiled by the link that their owner has made, compared with what they measure themselves.
 */
const service = useService();
let ada: Developer;
let person: CliUser;
beforeAll(async () => {
  person = createCliUser();
  ada = await actorsOf(service).developer({ sub: "ada", name: "Ada Lovelace" });
});

afterAll(() => person?.leave());

/** A game that stutters once a second, and notes its own frame times. */
const stuttering = {
  "index.html": `<!doctype html><title>Stutter</title><canvas id="c"></canvas><script src="game.js"></script>`,
  "game.js": `window.gaps = []; let last;
function frame(now) { if (last !== undefined) gaps.push(now - last); last = now; requestAnimationFrame(frame); }
requestAnimationFrame(frame);
function stutter() { const until = performance.now() + 130; while (performance.now() < until); }
setInterval(stutter, 1000);
setTimeout(() => { throw new Error("a mistake of the game"); }, 1500);
document.getElementById("c").getContext("2d").fillRect(0, 0, 10, 10);
`,
};

/** Script that requests each frame. */
const drawing = "<script>(function frame() { requestAnimationFrame(frame); })()</script>";

const page = (script: string) =>
  `<!doctype html><title>Unmeasured</title><canvas id="c" style="position:fixed;inset:0;width:100%;height:100%"></canvas><script>${script}</script>`;

/** Games whose frames nobody can see, with what svc profile says. */
const byTimer = [
  "draws by a timer at 10 frames a second",
  page(`const context = document.getElementById("c").getContext("2d");
setInterval(() => context.fillRect(0, 0, 9, 9), 100);`),
  "asks for no frames here",
] as const;
/** Only Chromium tells of it. */
const byWorker = [
  "renders in a worker, while its window asks for frames",
  page(`const canvas = document.getElementById("c").transferControlToOffscreen();
const url = URL.createObjectURL(new Blob([\`onmessage = ({ data }) => {
  const context = data.getContext("2d");
  setInterval(() => context.fillRect(0, 0, 9, 9), 200);
}\`]));
new Worker(url).postMessage(canvas, [canvas]);
(function frame() { requestAnimationFrame(frame); })();`),
  "A worker draws",
] as const;

/**
 * Runs svc profile with a budget that every frame of 200 ms holds, lets a player open its link for some seconds, and leave.
 * @returns what the command says in the end: it waits for a player who comes back, which the next player need not
 */
async function profiledByCommand(slug: string, come: PlayerFactory) {
  const env = cliEnvironment(person.home, { SVC_API: service.api, SVC_TOKEN: (await ada.token()).credential });
  const words = ["profile", "-p", slug, "--json", "--max-p95", "200", "--idle", "8"];
  const child = spawn(process.execPath, [cliProgram, ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  const output = text(child.stdout);
  const lines = createInterface(child.stderr)[Symbol.asyncIterator]();
  const url = String((await lines.next()).value);
  await playing(come, async (player) => {
    await player.open(url);
    await until(player, "document.getElementById('rate').textContent !== '0 fps'");
    await delay(6_000);
  });
  return async () => {
    const [code] = await exited;
    return { code, result: JSON.parse(await output) };
  };
}

const inGame = "document.querySelector('iframe').contentWindow";
const players = usePlayers().filter(([name]) => name !== "WebKit");

const links: string[] = [];
// An account has ten at most.
afterEach(async () => {
  for (const path of links.splice(0)) await ada.delete(path);
});

async function linkTo(slug: string) {
  const { status, body } = await ada.post(`/projects/${slug}/telemetry-grants`);
  expect(status).toBe(201);
  links.push(`/projects/${slug}/telemetry-grants/${body.profile.id}`);
  return { url: String(body.url), id: String(body.profile.id) };
}

async function recordsOf(slug: string, id: string): Promise<TelemetryRecord[]> {
  return (await ada.get(`/projects/${slug}/profiles/${id}`)).body.records;
}

/** Waits until so many frames have arrived. */
async function framesOf(slug: string, id: string, count: number): Promise<void> {
  for (let waited = 0; waited < 60; waited += 1) {
    if ((summaryOf(await recordsOf(slug, id))?.frames ?? 0) >= count) return;
    await delay(1_000);
  }
  throw new Error("Too few frames have arrived");
}

/** Waits until so many frames over 100 ms have arrived. */
async function stutters(slug: string, id: string, count: number): Promise<TelemetryRecord[]> {
  for (let waited = 0; waited < 90; waited += 1) {
    const records = await recordsOf(slug, id);
    const long = records.flatMap((record) => (record.type === "frames" ? record.durations : []));
    if (long.filter((time) => time > 100).length >= count) return records;
    await delay(1_000);
  }
  throw new Error("Too few long frames have arrived");
}

/** Waits until measuring was stopped so many times. */
async function stops(slug: string, id: string, count: number): Promise<TelemetryRecord[]> {
  for (let waited = 0; waited < 60; waited += 1) {
    const records = await recordsOf(slug, id);
    if (records.filter(({ type }) => type === "stop").length >= count) return records;
    await delay(500);
  }
  throw new Error("The page has not sent that it was stopped");
}

/** The page that measures begins before the game itself does, by so many frames at most: on a busy machine some seconds. */
const longestLead = 240;

/** The measured frames before the game's own first one and from it on, the latter as the game measured them, and those that differ. */
function aligned(own: readonly number[], measured: readonly number[]) {
  const from = (skipped: number) => measured.slice(skipped);
  const differing = (skipped: number) =>
    from(skipped).filter((time, index) => Math.abs((own[index] ?? -1) - time) > 0.15);
  const starts = Array.from({ length: longestLead }, (_, skipped) => skipped);
  const skipped = starts.reduce((best, each) => (differing(each).length < differing(best).length ? each : best), 0);
  const theirs = from(skipped);
  const lead = measured.slice(0, skipped);
  return { lead, theirs, ours: own.slice(0, theirs.length), differing: differing(skipped) };
}

/** The game's own frames that are these, which begin after its first ones. */
function sameFrames(own: readonly number[], measured: readonly number[]): number[] {
  const isSame = (from: number) => measured.every((time, index) => Math.abs((own[from + index] ?? -1) - time) < 0.15);
  const from = own.findIndex((_, index) => isSame(index));
  expect(from).toBeGreaterThan(0);
  return own.slice(from, from + measured.length);
}

const framesAfter = (records: readonly TelemetryRecord[], index: number) =>
  records.slice(index).flatMap((record) => (record.type === "frames" ? record.durations : []));

/** Signs in on the dashboard as Ada, and reads what a profile's page says, with all its hitches. */
async function shownProfile(player: Player, path: string) {
  await player.open(service.dashboard + path);
  await click(player, "Sign in");
  await click(player, "Ada Lovelace");
  // Of more than five hitches the others are shown to those who ask.
  const others = `[...document.querySelectorAll("button")].find(({ textContent }) => /^All \\d+ hitches$/.test(textContent))`;
  await until(player, `${others} !== undefined`);
  await player.evaluate(`${others}.click()`);
  await until(player, `document.querySelectorAll("[aria-label='Hitches'] tbody tr").length > 5`);
  const rows = (table: string) =>
    player.evaluate(`[...document.querySelectorAll("[aria-label='${table}'] tbody tr")].map((row) =>
      [...row.children].map((cell) => cell.textContent.trim()))`) as Promise<string[][]>;
  return { numbers: Object.fromEntries(await rows("In numbers")), hitches: await rows("Hitches") };
}

const press = (player: Player, id: string) => player.evaluate(`document.getElementById("${id}").click()`);

/** Plays in each browser at once: a test waits for seconds of play, which leave the processors idle. */
function testEverywhere(title: string, play: (come: PlayerFactory, name: BrowserName) => Promise<void>): void {
  test(title, async () => {
    const plays = await Promise.allSettled(players.map(([name, come]) => play(come, name)));
    for (const [index, result] of plays.entries())
      if (result.status === "rejected") throw new Error(`In ${players[index]?.[0]}`, { cause: result.reason });
  });
}

testEverywhere(
  "a game that stutters each second has the frames that it measured itself, and the long ones are named",
  async (come, name) => {
    const slug = await newProject(ada);
    await publish(ada, slug, stuttering);
    const { url, id } = await linkTo(slug);
    await playing(come, async (player) => {
      await player.open(url);
      expect(await player.evaluate("location.href")).toBe(url.replace(/#.*/, ""));
      await stutters(slug, id, 4);
      await press(player, "mark");
      const before = (await player.evaluate(
        `document.getElementById("stop").click(), ${inGame}.gaps.length`,
      )) as number;
      await delay(1_500);
      await press(player, "start");
      await delay(4_000);
      await press(player, "stop");
      const own = (await player.evaluate(`${inGame}.gaps`)) as number[];
      const records = await stops(slug, id, 2);
      const stop = records.findIndex(({ type }) => type === "stop");
      const again = records.findIndex(({ type }, index) => type === "start" && index > stop);
      const whileStopped = records.slice(stop, again).filter(({ type }) => type === "frames" || type === "long_frame");
      expect(whileStopped).toEqual([]);
      const measured = records.slice(0, stop).flatMap((record) => (record.type === "frames" ? record.durations : []));
      const { lead, theirs, ours, differing } = aligned(own, measured);
      // The game's own requestAnimationFrame was called with the same times until it was stopped.
      expect(differing).toEqual([]);
      expect(theirs.length).toBeGreaterThan(100);
      expect(Math.abs(theirs.length - before)).toBeLessThanOrEqual(2);
      const numbersOf = (durations: number[]) => summaryOf([{ type: "frames", at: 0, durations }]);
      for (const key of ["p50", "p95", "p99", "longest"] as const)
        expect(Math.abs((numbersOf(theirs)?.[key] ?? 0) - (numbersOf(ours)?.[key] ?? 1_000))).toBeLessThan(0.2);
      expect(summaryOf(records)?.longest).toBeGreaterThan(110);
      const types = new Set(records.map(({ type }) => type));
      for (const type of ["device", "start", "stop", "mark", "resource", "load", "error", "frames"] as const)
        expect(types).toContain(type);
      expect(records).toContainEqual(expect.objectContaining({ type: "error", source: "/game.js", line: 6 }));
      expect(records).toContainEqual(expect.objectContaining({ type: "resource", name: "/game.js" }));
      // The game's own notes of both runs after the lead, compared with the dashboard's numbers.
      const both = [...lead, ...ours, ...sameFrames(own, framesAfter(records, stop))];
      const shown = await shownProfile(player, `projects/${slug}/profiles/${id}`);
      for (const [title, key] of [
        ["p95", "p95"],
        ["Longest frame", "longest"],
      ] as const)
        expect(Math.abs(Number.parseFloat(shown.numbers[title] ?? "") - (numbersOf(both)?.[key] ?? 0))).toBeLessThan(
          0.2,
        );
      const listed = shown.hitches.map(([, took = ""]) => Number.parseFloat(took));
      const stuttered = both.filter((time) => time > 100).sort((a, b) => b - a);
      expect(stuttered.length).toBeGreaterThanOrEqual(4);
      for (const [index, time] of stuttered.entries()) expect(Math.abs((listed[index] ?? 0) - time)).toBeLessThan(0.2);
      if (name !== "Chromium") return;
      expect(shown.hitches.filter(([, , script]) => script === "stutter /game.js").length).toBeGreaterThanOrEqual(4);
      const long = records.filter((record) => record.type === "long_frame");
      const named = long.filter(
        ({ scripts }) => scripts[0]?.source === "/game.js" && scripts[0].function === "stutter",
      );
      expect(named.length).toBeGreaterThanOrEqual(4);
      for (const { duration } of named) expect(duration).toBeGreaterThan(110);
    });
  },
);

testEverywhere(
  "the player is told what is sent and when it is over, and moves the buttons, which a finger hits, out of the way",
  async (come) => {
    const slug = await newProject(ada);
    await publish(ada, slug, { "index.html": `<!doctype html><title>Told</title>${drawing}` });
    const { url } = await linkTo(slug);
    await playing(come, async (player) => {
      await player.open(url);
      const says = (text: string) =>
        until(player, `document.getElementById("status").textContent.startsWith("${text}")`);
      await says("The developer sees frame times");
      const top = () => player.evaluate(`document.getElementById("overlay").getBoundingClientRect().top`);
      const heights = await player.evaluate("[...document.querySelectorAll('button')].map((one) => one.offsetHeight)");
      expect(heights).toEqual([44, 44, 44, 44]);
      expect(await top()).toBe(8);
      await press(player, "move");
      expect(Number(await top())).toBeGreaterThan(100);
      await press(player, "stop");
      await says("Done");
    });
  },
);

testEverywhere("a budget says nothing of games whose frames nobody can see, and says why", async (come, name) => {
  const ends: (() => Promise<void>)[] = [];
  for (const [game, html, reason] of [byTimer, ...(name === "Chromium" ? [byWorker] : [])]) {
    const slug = await newProject(ada);
    await publish(ada, slug, { "index.html": html });
    const end = await profiledByCommand(slug, come);
    ends.push(async () => {
      const { code, result } = await end();
      expect({ game, code, error: result.error }).toMatchObject({
        game,
        code: 5,
        error: { code: "nothing_measured" },
      });
      expect({ game, message: result.error.message }).toEqual({ game, message: expect.stringMatching(reason) });
    });
  }
  for (const end of ends) await end();
});

testEverywhere(
  "another link that is opened in the same tab leaves its grant nowhere, and is the one that is measured, also of a game in a frame of its own",
  async (come) => {
    const slug = await newProject(ada);
    await publish(ada, slug, {
      "index.html": `<!doctype html><title>Twice</title><iframe src="game.html"></iframe>`,
      "game.html": `<!doctype html>${drawing}`,
    });
    const [first, second] = [await linkTo(slug), await linkTo(slug)];
    await playing(come, async (player) => {
      await player.open(first.url);
      await framesOf(slug, first.id, 10);
      // As a person does who opens it from the address bar: nothing is loaded for another fragment.
      await player.evaluate(`void (location.href = ${JSON.stringify(second.url)})`);
      await framesOf(slug, second.id, 10);
      expect(await player.evaluate("location.href")).toBe(second.url.replace(/#.*/, ""));
    });
  },
);

testEverywhere(
  "a game with threads is isolated in the frame as it is alone, and nothing of it is changed",
  async (come) => {
    const slug = await newProject(ada);
    const page = `<!doctype html><title>Threads</title><script>window.shared = new SharedArrayBuffer(8).byteLength</script>${drawing}`;
    const { body } = await ada.post(`/projects/${slug}/releases`, {
      files: manifestOf({ "index.html": page }),
      settings: { isolation: true },
    });
    for (const each of body.first_uploads.uploads) expect(await upload(each, page)).toBe(200);
    expect((await ada.post(`/projects/${slug}/releases/${body.release.id}/publish`)).status).toBe(200);
    const { url, id } = await linkTo(slug);
    await playing(come, async (player) => {
      await player.open(url);
      await framesOf(slug, id, 10);
      expect(await player.evaluate(`[${inGame}.shared, ${inGame}.crossOriginIsolated]`)).toEqual([8, true]);
      expect(await player.evaluate(`${inGame}.document.documentElement.outerHTML`)).not.toContain("svc");
      expect(player.complaints).toEqual([]);
    });
    expect(await recordsOf(slug, id)).toContainEqual(expect.objectContaining({ type: "device", isolated: true }));
  },
);

testEverywhere(
  "a link that has ended, one for a release that is not live any more, and none at all say why",
  async (come) => {
    const slug = await newProject(ada);
    await publish(ada, slug, { "index.html": "first" });
    const [ended, old] = [await linkTo(slug), await linkTo(slug)];
    await ada.delete(`/projects/${slug}/telemetry-grants/${ended.id}`);
    const saying = async (url: string, expected: RegExp) =>
      await playing(come, async (player) => {
        await player.open(url);
        for (let waited = 0; waited < 60; waited += 1) {
          const said = String(await player.evaluate("document.getElementById('status').textContent"));
          if (expected.test(said)) return;
          await delay(500);
        }
        throw new Error(`The page does not say ${expected}`);
      });
    await saying(ended.url, /has ended/);
    await saying(ended.url.replace(/#.*/, ""), /needs a link/);
    await publish(ada, slug, { "index.html": "second" });
    await saying(old.url, /Another release/);
  },
);
