import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { freePort } from "../../../local/dynamodb-engine.ts";
import { type Actor, actorsOf } from "../../support/actors.ts";
import { startService, type TestService } from "../../support/service.ts";
import { type Folder, newSlug, publish } from "../../support/steps.ts";
import { everyItem, type Stored } from "../../support/stored.ts";

/*
 * A month of a service that is started again each day, with its clock a day further and the tables and files that it had.
 * Each day three developers publish, roll back, unpublish, delete, restore, replace and revoke; the sweep and the
 * delivery of notices run. After each day what was promised is compared with a model. `MONTH_SEED` repeats a month.
 */
const days = 36;
const stepsPerDay = 8;
/** Short, so that the sweep has something to delete: with the live one, so many releases of a game can be rolled back to. */
const keptReleases = 3;
const keptDays = 4;
const restoreDays = 7;
const seed = Number(process.env["MONTH_SEED"] ?? randomInt(2 ** 31));

/** Numbers from 0 up to 1 that follow from the seed (mulberry32). */
let state = seed;
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

function oneOf<T>(list: readonly T[]): T | undefined {
  return list[Math.floor(random() * list.length)];
}

interface Game {
  readonly slug: string;
  readonly uid: string;
  /** In the order in which they were last live. */
  releases: { readonly id: string; readonly folder: Folder }[];
  isLive: boolean;
  deletedOn?: number;
}

interface HeldToken {
  readonly id: string;
  readonly raw: string;
  readonly uid: string;
  /** The day on which it ends, at the time of its creation. */
  endsOn: number;
  isRevoked: boolean;
}

const uids = ["ada", "grace", "linus"].map((name) => `${name}-of-the-month`);
const games: Game[] = [];
const tokens: HeldToken[] = [];
const told: { readonly id: string; readonly type: string; readonly token?: { readonly id: string } }[] = [];
const counts: Record<string, number> = {};

interface Today {
  readonly day: number;
  readonly service: TestService;
  readonly actorOf: (uid: string) => Actor;
  readonly bearer: (raw: string) => Actor;
}

async function ok(response: Promise<{ status: number; body: ReturnType<typeof JSON.parse> }>) {
  const { status, body } = await response;
  if (status >= 300) throw new Error(`seed ${seed}: ${status} ${JSON.stringify(body)}`);
  return body;
}

function newFolder(): Folder {
  const page = `<p>${random()}</p>`;
  return { "index.html": page, "shared.txt": `shared ${Math.floor(random() * 3)}`, [`level-${random()}.bin`]: page };
}

const steps: Record<string, (today: Today) => Promise<unknown>> = {
  createProject: async ({ actorOf }) => {
    const uid = oneOf(uids) as string;
    if (games.filter((game) => game.uid === uid).length >= 4) return undefined;
    const slug = newSlug();
    await ok(actorOf(uid).post("/projects", { slug }));
    return games.push({ slug, uid, releases: [], isLive: false });
  },
  publish: async ({ actorOf }) => {
    const game = oneOf(games.filter(({ deletedOn }) => deletedOn === undefined));
    if (game === undefined) return undefined;
    const folder = newFolder();
    return goLive(game, { id: await publish(actorOf(game.uid), game.slug, folder), folder });
  },
  rollBack: async ({ actorOf }) => {
    const game = oneOf(games.filter(({ releases, deletedOn }) => releases.length > 1 && deletedOn === undefined));
    const release = game && oneOf(game.releases.slice(-keptReleases));
    if (game === undefined || release === undefined) return undefined;
    await ok(actorOf(game.uid).post(`/projects/${game.slug}/releases/${release.id}/publish`));
    return goLive(game, release);
  },
  unpublish: async ({ actorOf }) => {
    const game = oneOf(games.filter(({ isLive, deletedOn }) => isLive && deletedOn === undefined));
    if (game === undefined) return undefined;
    await ok(actorOf(game.uid).post(`/projects/${game.slug}/unpublish`));
    game.isLive = false;
    return game;
  },
  deleteProject: async ({ actorOf, day }) => {
    const game = oneOf(games.filter(({ deletedOn }) => deletedOn === undefined));
    if (game === undefined || random() < 0.5) return undefined;
    await ok(actorOf(game.uid).delete(`/projects/${game.slug}`));
    game.deletedOn = day;
    return game;
  },
  restoreProject: async ({ actorOf, day }) => {
    const game = oneOf(games.filter(({ deletedOn }) => deletedOn !== undefined && day - deletedOn < restoreDays));
    if (game === undefined) return undefined;
    await ok(actorOf(game.uid).post(`/projects/${game.slug}/restore`));
    delete game.deletedOn;
    return game;
  },
  createToken: async ({ actorOf, day }) => {
    const uid = oneOf(uids) as string;
    const expires_in_days = 5 + Math.floor(random() * 15);
    const body = await ok(actorOf(uid).post("/tokens", { name: "month", scopes: ["publish"], expires_in_days }));
    return tokens.push({ id: body.id, raw: body.token, uid, endsOn: day + expires_in_days, isRevoked: false });
  },
  replaceToken: async ({ actorOf, day }) => {
    const token = oneOf(tokens.filter(({ endsOn, isRevoked }) => !isRevoked && endsOn > day));
    if (token === undefined) return undefined;
    const request = { overlap_hours: 48, expires_in_days: 10 };
    const body = await ok(actorOf(token.uid).post(`/tokens/${token.id}/replacement`, request));
    token.endsOn = Math.min(token.endsOn, day + 2);
    return tokens.push({ id: body.id, raw: body.token, uid: token.uid, endsOn: day + 10, isRevoked: false });
  },
  revokeToken: async ({ actorOf, day }) => {
    const token = oneOf(tokens.filter(({ endsOn, isRevoked }) => !isRevoked && endsOn > day));
    if (token === undefined || random() < 0.5) return undefined;
    await ok(actorOf(token.uid).delete(`/tokens/${token.id}`));
    token.isRevoked = true;
    return token;
  },
};

function goLive(game: Game, release: Game["releases"][number]): Game {
  game.releases = [...game.releases.filter(({ id }) => id !== release.id), release];
  game.isLive = true;
  return game;
}

/** What is wrong with the visitors' view of a game. */
async function brokenGame(today: Today, game: Game): Promise<string[]> {
  const folder = game.releases.at(-1)?.folder ?? {};
  const isServed = game.isLive && game.deletedOn === undefined;
  const broken: string[] = [];
  for (const [path, content] of Object.entries(folder)) {
    const response = await fetch(`${today.service.api}/projects/${game.slug}/files/${path}`);
    const text = await response.text();
    if (isServed && (response.status !== 200 || text !== content))
      broken.push(`${game.slug}/${path}: ${response.status}`);
    if (!isServed && response.status < 400) broken.push(`${game.slug}/${path} is served, though it is not live`);
  }
  return broken;
}

/** A release that is kept goes live again with every file, and then the one that was live before it. */
async function brokenRollback(today: Today, game: Game): Promise<string[]> {
  const live = game.releases.at(-1);
  const kept = oneOf(game.releases.slice(-keptReleases));
  if (live === undefined || kept === undefined || !game.isLive || game.deletedOn !== undefined) return [];
  const broken: string[] = [];
  for (const release of [kept, live]) {
    const path = `/projects/${game.slug}/releases/${release.id}/publish`;
    const { status } = await today.actorOf(game.uid).post(path);
    if (status !== 200) return [`${game.slug}: rolling back to ${release.id} got ${status}`];
    goLive(game, release);
    broken.push(...(await brokenGame(today, game)));
  }
  return broken;
}

async function brokenTokens({ day, bearer }: Today): Promise<string[]> {
  // On its last day a token ends at the time of its creation, which is near the time of this request.
  const certain = tokens.filter(({ endsOn, isRevoked }) => isRevoked || endsOn !== day);
  const answers = await Promise.all(certain.map(({ raw }) => bearer(raw).get("/me")));
  return certain.flatMap(({ id, endsOn, isRevoked }, index) => {
    const expected = isRevoked || endsOn < day ? 401 : 200;
    return answers[index]?.status === expected ? [] : [`token ${id}: ${answers[index]?.status}, not ${expected}`];
  });
}

/** Counters that are not what a recount gives. */
function brokenCounts(items: readonly Stored[], { day }: Today): string[] {
  const accounts = items.filter(({ SK }) => SK === "ACCOUNT");
  return accounts.flatMap(({ PK, uid, projectCount, activeTokens }) => {
    const own = items.filter((item) => item["PK"] === PK);
    const owned = own.filter(({ SK }) => String(SK).startsWith("PROJECT#")).length;
    const expected = games.filter((game) => game.uid === uid && game.deletedOn === undefined).length;
    const listed = Object.keys(activeTokens as object);
    const active = tokens.filter((token) => token.uid === uid && !token.isRevoked && token.endsOn > day);
    const revoked = tokens.filter((token) => token.isRevoked && listed.includes(token.id));
    return [
      ...(projectCount === owned && owned === expected ? [] : [`${uid} has ${owned} projects, counts ${projectCount}`]),
      ...active.filter(({ id }) => !listed.includes(id)).map(({ id }) => `${id} is active and not counted`),
      ...revoked.map(({ id }) => `${id} is revoked and counted`),
    ];
  });
}

function brokenNotices(today: Today): string[] {
  const notices = today.service.output().match(/^\{.*"message":"Notice".*$/gm) ?? [];
  told.push(...notices.map((line) => JSON.parse(line).notice));
  const ids = told.map(({ id }) => id);
  const countOf = (type: string, id: string) =>
    told.filter((each) => each.type === type && each.token?.id === id).length;
  return [
    ...(new Set(ids).size === ids.length ? [] : ["a notice was told twice"]),
    ...tokens
      .filter(({ id }) => countOf("token_created", id) !== 1)
      .map(({ id }) => `the creation of ${id} was not told`),
    ...tokens
      .filter(({ id, isRevoked }) => countOf("token_revoked", id) !== (isRevoked ? 1 : 0))
      .map(({ id }) => `the revocation of ${id} was not told once`),
  ];
}

async function waitFor(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < 60; waited += 1) {
    if (await isSo()) return;
    await delay(500);
  }
  throw new Error(`seed ${seed}: ${what} did not happen`);
}

async function live(today: Today): Promise<string[]> {
  for (let count = 0; count < stepsPerDay; count += 1) {
    const name = oneOf([...Object.keys(steps), "publish", "publish", "rollBack"]) as string;
    if (await steps[name]?.(today)) counts[name] = (counts[name] ?? 0) + 1;
  }
  const isTold = async () =>
    !(await everyItem(today.service)).some(
      ({ PK, at }) => String(PK).startsWith("OUTBOX#") && Date.parse(String(at)) < Date.now() + today.day * 86_400_000,
    );
  await waitFor("the delivery of notices", isTold);
  await waitFor("the sweep", () => today.service.output().includes("projects swept"));
  const [, objects = "0"] = /(\d+) objects deleted/.exec(today.service.output()) ?? [];
  counts["sweptObjects"] = (counts["sweptObjects"] ?? 0) + Number(objects);
  const broken: string[] = [];
  for (const game of games) broken.push(...(await brokenGame(today, game)), ...(await brokenRollback(today, game)));
  broken.push(...(await brokenTokens(today)), ...brokenCounts(await everyItem(today.service), today));
  return [...broken, ...brokenNotices(today)];
}

test(`a month passes, and each day every promise is kept (seed ${seed})`, async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "svc-month-"));
  const env = {
    IDP_PORT: String(await freePort()),
    TABLE_NAME: "svc-month",
    NODE_OPTIONS: `--import=${fileURLToPath(new URL("shift-clock.mjs", import.meta.url))}`,
    SVC_NOTICES_SECONDS: "0.3",
    SVC_SWEEP_SECONDS: "1",
    KEPT_RELEASES: String(keptReleases),
    KEPT_DAYS: String(keptDays),
  };
  try {
    for (let day = 0; day < days; day += 1) {
      const clock = { CLOCK_SHIFT_SECONDS: String(day * 86_400) };
      const service = await startService({ dataFolder, env: { ...env, ...clock } });
      try {
        const actors = actorsOf(service);
        const people = new Map(
          await Promise.all(uids.map(async (uid) => [uid, await actors.stranger({ sub: uid })] as const)),
        );
        const actorOf = (uid: string) => people.get(uid) as Actor;
        if (day === 0) for (const uid of uids) await ok(actorOf(uid).post("/auth/session", { role: "dev" }));
        const broken = await live({ day, service, actorOf, bearer: actors.bearer });
        expect({ seed, day, broken }).toEqual({ seed, day, broken: [] });
      } finally {
        await service.stop();
      }
    }
    console.log(`seed ${seed}: ${JSON.stringify(counts)}, ${told.length} notices`);
    expect(Object.keys(steps).filter((name) => !counts[name])).toEqual([]);
    expect(counts["sweptObjects"]).toBeGreaterThan(0);
    expect(told.some(({ type }) => type === "token_expiring")).toBe(true);
  } finally {
    rmSync(dataFolder, { recursive: true, force: true });
  }
}, 900_000);
