import { listObjects } from "../../functions/files/store.ts";
import { play } from "../../test/support/service/play.ts";
import { brokenInvariants } from "../../test/support/table/invariants.ts";
import { arePointersWritten, everyItem, type StoredItem } from "../../test/support/table/stored.ts";
import { brokenByPointer } from "./claims.ts";
import { checked } from "./measurements.ts";
import {
  changeable,
  delivered,
  type Game,
  games,
  goLive,
  keptReleases,
  leavers,
  oneOf,
  quota,
  type Today,
  tokens,
  uids,
} from "./model.ts";

/** Faults of the visitors' view of a game. */
async function brokenGame(today: Today, game: Game): Promise<string[]> {
  const folder = game.releases.at(-1)?.folder ?? {};
  const isServed = game.isLive && game.deletedOn === undefined && !game.isSuspended;
  const broken: string[] = [];
  for (const [path, content] of Object.entries(folder)) {
    const response = await play(today.service, game.slug, { path: `/${path}` });
    const text = response.body.toString();
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
  if (live === undefined || kept === undefined || !game.isLive || !changeable().includes(game)) return [];
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

async function brokenTokens({ day, actors }: Today): Promise<string[]> {
  // On its last day a token expires at the time of its creation, which is near the time of this request.
  const certain = tokens.filter(({ expiresOn, isRevoked }) => isRevoked || expiresOn !== day);
  const responses = await Promise.all(certain.map(({ raw }) => actors.bearer(raw).get("/me")));
  return certain.flatMap(({ id, expiresOn, isRevoked }, index) => {
    const expected = isRevoked || expiresOn < day ? 401 : 200;
    return responses[index]?.status === expected ? [] : [`token ${id}: ${responses[index]?.status}, not ${expected}`];
  });
}

/** Counters that differ from a recount. */
function brokenCounts(items: readonly StoredItem[], { day }: Today): string[] {
  const accounts = items.filter(({ SK, uid }) => SK === "ACCOUNT" && uids.includes(String(uid)));
  return accounts.flatMap(({ PK, uid, projectCount, activeTokens }) => {
    const own = items.filter((item) => item["PK"] === PK);
    const owned = own.filter(({ SK }) => String(SK).startsWith("PROJECT#")).length;
    const expected = games.filter((game) => game.uid === uid && game.deletedOn === undefined).length;
    const listed = Object.keys(activeTokens as object);
    const active = tokens.filter((token) => token.uid === uid && !token.isRevoked && token.expiresOn > day);
    const revoked = tokens.filter((token) => token.isRevoked && listed.includes(token.id));
    return [
      ...(projectCount === owned && owned === expected ? [] : [`${uid} has ${owned} projects, counts ${projectCount}`]),
      ...active.filter(({ id }) => !listed.includes(id)).map(({ id }) => `${id} is active and not counted`),
      ...revoked.map(({ id }) => `${id} is revoked and counted`),
    ];
  });
}

/** Pointers of the games' edge that differ from what their project is. */
async function brokenPointers({ service, pointer }: Today): Promise<string[]> {
  if (!(await arePointersWritten(service, 30))) return ["pointers wait for more than 30 s"];
  const projects = (await everyItem(service)).filter(({ SK }) => SK === "PROJECT");
  checked.pointers += projects.length;
  return projects.flatMap((project) => brokenByPointer(project, pointer(String(project["slug"]))) ?? []);
}

interface Amount {
  readonly bytes: number;
  readonly objects: number;
}

const amountOf = (item: StoredItem): Amount => ({
  bytes: Number(item["usedBytes"] ?? 0),
  objects: Number(item["usedObjects"] ?? 0),
});
const isUpTo = (amount: Amount, limit: Amount) => amount.bytes <= limit.bytes && amount.objects <= limit.objects;

/**
 * Quotas that are passed, and projects of which more is stored than counted (docs/decisions/0036-quota.md).
 *
 * @param isExact no release is open and everything is swept: no project counts more than is stored either
 */
export async function brokenLedgers(
  items: readonly StoredItem[],
  { isExact }: { isExact: boolean },
): Promise<string[]> {
  const passed = items.flatMap((item) => {
    const limit = item["SK"] === "LEDGER" ? quota.account : item["SK"] === "PROJECT" ? quota.project : undefined;
    return limit === undefined || isUpTo(amountOf(item), limit) ? [] : [`${item["PK"]} has passed its quota`];
  });
  const projects = items.filter(({ SK }) => SK === "PROJECT");
  const differing = projects.map(async (project) => {
    const list = { prefix: `projects/${project["slug"]}/`, startAfter: "", maximum: 1_000 };
    const { objects } = await listObjects(list);
    const stored = { bytes: objects.reduce((sum, { size }) => sum + size, 0), objects: objects.length };
    const counted = amountOf(project);
    checked.ledgers += 1;
    const isRight = isUpTo(stored, counted) && (!isExact || isUpTo(counted, stored));
    return isRight ? [] : [`${project["PK"]} counts ${JSON.stringify(counted)} and has ${JSON.stringify(stored)}`];
  });
  return [...passed, ...(await Promise.all(differing)).flat()];
}

/** Notices delivered twice, on calm days: a process that is killed may deliver one twice. */
function brokenNotices({ service }: Today): string[] {
  const notices = service.output().match(/^\{.*"message":"Notice".*$/gm) ?? [];
  delivered.push(...notices.map((line) => JSON.parse(line).notice));
  const ids = delivered.map(({ id }) => id);
  const countOf = (type: string, id: string) =>
    delivered.filter((each) => each.type === type && each.token?.id === id).length;
  return [
    ...(new Set(ids).size === ids.length ? [] : ["a notice was delivered twice"]),
    ...tokens
      .filter(({ id }) => countOf("token_created", id) !== 1)
      .map(({ id }) => `the creation of ${id} was not delivered`),
    ...tokens
      .filter(({ id, isRevoked }) => countOf("token_revoked", id) !== (isRevoked ? 1 : 0))
      .map(({ id }) => `the revocation of ${id} was not delivered once`),
  ];
}

/** No token of a deleted account is accepted, and nothing is stored that names its person. */
async function brokenLeavers(items: readonly StoredItem[], { actors }: Today): Promise<string[]> {
  const stored = JSON.stringify(items);
  const broken: string[] = [];
  for (const { uid, raw } of leavers) {
    const { status } = await actors.bearer(raw).get("/me");
    if (status !== 401) broken.push(`the token of ${uid}, who has left: ${status}`);
    if (stored.includes(uid)) broken.push(`something names ${uid}, who has left`);
  }
  return broken;
}

/** Every promise that is not kept today. */
export async function brokenPromises(today: Today): Promise<string[]> {
  const broken: string[] = [];
  for (const game of games) broken.push(...(await brokenGame(today, game)), ...(await brokenRollback(today, game)));
  const items = await everyItem(today.service);
  broken.push(...(await brokenTokens(today)), ...brokenCounts(items, today), ...(await brokenLeavers(items, today)));
  broken.push(...(await brokenPointers(today)), ...(await brokenLedgers(items, { isExact: false })));
  broken.push(...brokenInvariants(items, Date.now() + today.day * 86_400_000));
  return [...broken, ...brokenNotices(today)];
}
