import { keys } from "../../../../functions/table/keys.ts";
import { arePointersWritten, everyItem, type StoredItem } from "../../../support/table/stored.ts";
import {
  changeable,
  delivered,
  type Game,
  games,
  goLive,
  keptReleases,
  leavers,
  oneOf,
  type Today,
  tokens,
} from "./model.ts";

/** What is wrong with the visitors' view of a game. */
async function brokenGame(today: Today, game: Game): Promise<string[]> {
  const folder = game.releases.at(-1)?.folder ?? {};
  const isServed = game.isLive && game.deletedOn === undefined && !game.isSuspended;
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
  // On its last day a token ends at the time of its creation, which is near the time of this request.
  const certain = tokens.filter(({ endsOn, isRevoked }) => isRevoked || endsOn !== day);
  const responses = await Promise.all(certain.map(({ raw }) => actors.bearer(raw).get("/me")));
  return certain.flatMap(({ id, endsOn, isRevoked }, index) => {
    const expected = isRevoked || endsOn < day ? 401 : 200;
    return responses[index]?.status === expected ? [] : [`token ${id}: ${responses[index]?.status}, not ${expected}`];
  });
}

/** Counters that are not what a recount gives. */
function brokenCounts(items: readonly StoredItem[], { day }: Today): string[] {
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

/** What the games' edge has that is not what the game is. */
async function brokenPointers({ service, pointer }: Today): Promise<string[]> {
  if (!(await arePointersWritten(service, 30))) return ["pointers wait for more than 30 s"];
  const items = await everyItem(service);
  return games.flatMap(({ slug, isLive, isSuspended, deletedOn }) => {
    const { PK, SK } = keys.project(slug);
    const release = items.find((item) => item["PK"] === PK && item["SK"] === SK)?.["currentRelease"];
    const { manifest } = (release ?? {}) as { manifest?: string };
    const stored = pointer(slug);
    const isRight = isSuspended
      ? stored === "s"
      : deletedOn !== undefined
        ? stored === undefined
        : isLive
          ? stored?.startsWith(`l.${manifest}.`)
          : stored === undefined || stored === "u";
    return isRight ? [] : [`the edge has ${stored} of ${slug}, whose live manifest is ${manifest}`];
  });
}

function brokenNotices(today: Today): string[] {
  const notices = today.service.output().match(/^\{.*"message":"Notice".*$/gm) ?? [];
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
  broken.push(...(await brokenPointers(today)));
  return [...broken, ...brokenNotices(today)];
}
