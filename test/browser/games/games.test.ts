import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { type CliUser, createCliUser } from "../../support/cli/cli.ts";
import { eventually } from "../../support/eventually.ts";
import { actorsOf, type Developer, type TokenActor } from "../../support/service/actors.ts";
import { play } from "../../support/service/play.ts";
import { startService, type TestService } from "../../support/service/service.ts";
import { newProject, newSlug, publish } from "../../support/service/steps.ts";
import { keepScreenshot, launchChromium } from "../chromium.ts";
import { hasScreen } from "../screen.ts";
import { until } from "../until.ts";
import type { Build } from "./build.ts";
import { builds } from "./builds.ts";
import { engines } from "./engines.ts";
import { exportedGames } from "./exports.ts";
import { installedPlayers, type Player } from "./players.ts";

const bounce = fileURLToPath(new URL("../../../examples/bounce", import.meta.url));

/** `SVC_COLD_LOCATIONS=3 npm test -- --config lab/play/jest.config.js` plays at a cold edge. */
const edge = { SVC_COLD_LOCATIONS: process.env["SVC_COLD_LOCATIONS"] };

let service: TestService;
let browser: Browser;
let ada: Developer;
let token: TokenActor;
let person: CliUser;

beforeAll(async () => {
  [service, browser] = await Promise.all([startService({ env: edge }), launchChromium()]);
  person = createCliUser();
  await useNewOwner();
});

async function useNewOwner(): Promise<void> {
  ada = await actorsOf(service).developer();
  token = await ada.token({ scopes: ["publish"] });
}

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  person?.leave();
});

const urlOf = (slug: string) => `http://${slug}.${service.gamesDomain}/`;

/** Publishes a folder by the command line, and waits until it is seen. */
async function svcPublish(
  slug: string,
  folder: string,
): Promise<{ release: string; play_url: string; stderr: string }> {
  const env = { SVC_API: service.api, SVC_TOKEN: token.credential };
  const { code, stdout, stderr } = await person.run(["publish", "game", "--project", slug, "--json"], {
    env,
    cwd: folder,
  });
  if (code !== 0) throw new Error(`svc publish exited with ${code}: ${stdout}${stderr}`);
  return { ...JSON.parse(stdout.trim().split("\n").at(-1) ?? ""), stderr };
}

/** As `npm test -- --config lab/play/jest.config.js` has it (lab/play/jest.config.js); otherwise what takes long is played in Chromium alone. */
const { everyGame = false } = globalThis as { everyGame?: boolean };
const games = [...builds, ...exportedGames, ...(everyGame ? engines : [])];
const players = installedPlayers(() => browser).map(([name, come]) => {
  const isPlayed = ({ isLarge, needsWebGl, notIn, startedBy }: Build) =>
    (everyGame || startedBy !== "check") &&
    (everyGame || !isLarge || name === "Chromium") &&
    (name !== "Firefox" || !needsWebGl || hasScreen) &&
    name !== notIn;
  return [name, come, games.filter(isPlayed)] as const;
});

/** svc.toml of a build. To compress 130 MB takes a minute, and the small builds show that browsers unpack copies. */
function settingsOf({ settings = "", isLarge }: Build): string {
  return isLarge && !everyGame ? `uncompressed = ["**"]\n${settings}` : settings;
}

/** A build of each kind, one of them with threads: the page that measures plays them as they are. */
const profiled = ["godot", "phaser", "threads", "stockfish"];

describe.each(players)(
  "in %s, plays, saves, and keeps its save over a reload, in Chromium a second release and a rollback too:",
  (browserName, come, played) => {
    // An account has 50 projects at most.
    beforeAll(useNewOwner);

    // The exports of two engines are 40 and 88 MB.
    test.each(played)(
      "$name",
      async (build: Build) => {
        const slug = await newProject(ada);
        const folder = mkdtempSync(join(tmpdir(), "svc-game-"));
        const player = await come();
        try {
          mkdirSync(join(folder, "game"));
          await build.write(join(folder, "game"));
          writeFileSync(join(folder, "svc.toml"), settingsOf(build));
          const first = await svcPublish(slug, folder);
          expect(first).toMatchObject({ play_url: urlOf(slug), stderr: "" });
          await player.open(first.play_url);
          expect(await player.done()).toEqual({ plays: 1, ...build.does });
          await player.keep(build.name);
          await player.reload();
          expect(await player.done()).toEqual({ plays: 2, ...build.does });
          // updates.test.ts and workers.test.ts change releases in each browser.
          if ((everyGame || browserName === "Chromium") && !build.isLarge) {
            writeFileSync(join(folder, "game", "news.txt"), "a second release");
            await svcPublish(slug, folder);
            await player.reload();
            expect(await player.done()).toEqual({ plays: 3, ...build.does });
            await ada.post(`/projects/${slug}/releases/${first.release}/publish`);
            await player.reload();
            expect(await player.done()).toEqual({ plays: 4, ...build.does });
          }
          if (browserName === "Chromium" && profiled.includes(build.name)) await expectProfiled(slug, build, player);
          expect(player.complaints.filter((text) => !build.complains?.test(text))).toEqual([]);
        } finally {
          await player.leave();
          rmSync(folder, { recursive: true, force: true });
          rmSync(`${folder}-source`, { recursive: true, force: true });
        }
      },
      240_000,
    );
  },
);

const inGame = "document.querySelector('iframe')?.contentWindow";

interface MeasuredRecord {
  readonly type: string;
  readonly durations?: readonly number[];
}

/** It does in the frame of the page that measures what it does alone, its frames and files are recorded, and its bytes stay as they are. */
async function expectProfiled(slug: string, build: Build, player: Player): Promise<void> {
  const before = await play(service, slug);
  const { body } = await ada.post(`/projects/${slug}/telemetry-grants`);
  await player.open(body.url);
  // The frame is there once the page has asked which release is played.
  await until(player, `${inGame}?.done !== undefined`, true, 120_000);
  expect(await player.evaluate(`${inGame}.done`)).toMatchObject(build.does);
  expect(await player.evaluate(`${inGame}.crossOriginIsolated`)).toBe(build.settings !== undefined);
  // One that computes in workers asks for no frames.
  const isMeasured = (records: readonly MeasuredRecord[]) =>
    build.settings === undefined
      ? records.flatMap(({ durations = [] }) => durations).length >= 10
      : records.some(({ type }) => type === "unmeasured");
  await eventually(async () => {
    const { records } = (await ada.get(`/projects/${slug}/profiles/${body.profile.id}`)).body;
    expect({ isMeasured: isMeasured(records), types: records.map(({ type }: MeasuredRecord) => type) }).toEqual({
      isMeasured: true,
      types: expect.arrayContaining(["resource"]),
    });
  }, 60_000);
  const after = await play(service, slug);
  expect([after.body.equals(before.body), after.headers["etag"]]).toEqual([true, before.headers["etag"]]);
}

test("the README's game is played, saves the best score, and has it after the next release and after a rollback", async () => {
  const { credential } = await ada.token({ scopes: ["publish", "projects"] });
  const env = { SVC_API: service.api, SVC_TOKEN: credential };
  const slug = newSlug();
  const folder = mkdtempSync(join(tmpdir(), "svc-bounce-"));
  const svc = async (...words: string[]) => {
    expect(await person.run(words, { env, cwd: folder })).toMatchObject({ code: 0 });
  };
  const page = await browser.newPage();
  const best = () => page.evaluate('Number(localStorage.getItem("best"))');
  try {
    cpSync(bounce, join(folder, "game"), { recursive: true });
    await svc("projects", "create", slug);
    await svc("publish", "game", "--project", slug);
    await page.goto(urlOf(slug));
    const canvas = await page.locator("canvas").boundingBox();
    // The point at which the ball first comes down.
    await page.mouse.move((canvas?.x ?? 0) + 0.75 * (canvas?.width ?? 0), (canvas?.y ?? 0) + 10);
    await page.waitForFunction('localStorage.getItem("best") !== null', undefined, { timeout: 60_000 });
    await keepScreenshot(page, "bounce");
    const score = await best();
    expect(score).toBeGreaterThanOrEqual(1);
    appendFileSync(join(folder, "game", "style.css"), "body { background: navy }");
    await svc("publish", "game", "--project", slug);
    await page.reload();
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(0, 0, 128)");
    expect(await best()).toBeGreaterThanOrEqual(Number(score));
    await svc("rollback", "--project", slug);
    await page.reload();
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).not.toBe("rgb(0, 0, 128)");
    expect(await best()).toBeGreaterThanOrEqual(Number(score));
  } finally {
    await page.close();
    rmSync(folder, { recursive: true });
  }
});

const icon = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">';

test("two games never see each other's storage, and neither sees the API's or the dashboard's", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const slugs = [await newProject(ada), await newProject(ada)];
  for (const slug of slugs) await publish(ada, slug, { "index.html": `${icon}<p>${slug}` });
  const origins = [...slugs.map(urlOf), service.dashboard, `${service.api}/health`];
  for (const [index, origin] of origins.entries()) {
    await page.goto(origin);
    const seen = await page.evaluate(`(async () => {
      const before = [localStorage.getItem("secret"), document.cookie, (await caches?.keys?.()).length, (await indexedDB.databases()).length];
      localStorage.setItem("secret", "of ${index}");
      document.cookie = "secret=${index}";
      try { document.cookie = "wide=${index}; domain=localhost"; } catch {}
      await caches?.open("secret");
      await new Promise((resolve) => { indexedDB.open("secret").onsuccess = resolve; });
      return before;
    })()`);
    expect({ origin, seen }).toEqual({ origin, seen: [null, "", 0, 0] });
  }
  await context.close();
});
