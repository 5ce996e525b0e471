import { randomInt } from "node:crypto";
import { randomNumbers } from "../../test/support/random.ts";
import type { Actor, Actors } from "../../test/support/service/actors.ts";
import type { TestService } from "../../test/support/service/service.ts";
import type { Folder } from "../../test/support/service/steps.ts";

/*
 * State that the service must remember: a model that the steps of calm days change and that the promises are compared with.
 */

/** Few, so that the sweep has something to delete: a game keeps this many releases, the live one among them. */
export const keptReleases = 3;
export const keptDays = 4;
export const restoreDays = 7;
/** A few releases of the clients on busy days reach it. */
export const quota = { project: { bytes: 40_000, objects: 60 }, account: { bytes: 60_000, objects: 120 } };
export const seed = Number(process.env["WALK_SEED"] ?? randomInt(2 ** 31));

export const random = randomNumbers(seed);

export function oneOf<T>(list: readonly T[]): T | undefined {
  return list[Math.floor(random() * list.length)];
}

export interface Game {
  readonly slug: string;
  uid: string;
  /** In the order in which they were last live. */
  releases: { readonly id: string; readonly folder: Folder }[];
  isLive: boolean;
  isSuspended: boolean;
  deletedOn?: number;
}

export interface KnownToken {
  readonly id: string;
  readonly raw: string;
  readonly uid: string;
  /** The day on which it expires, at the time of its creation. */
  expiresOn: number;
  isRevoked: boolean;
}

/** Somebody who has deleted their account, and a token that they had. */
export interface Leaver {
  readonly uid: string;
  readonly raw: string;
}

export const uids = ["ada", "grace", "linus"].map((name) => `${name}-of-the-walk`);
export const games: Game[] = [];
export const tokens: KnownToken[] = [];
export const leavers: Leaver[] = [];
export const delivered: { readonly id: string; readonly type: string; readonly token?: { readonly id: string } }[] = [];
/** Number of times that each step was taken. */
export const counts: Record<string, number> = {};

/** The games that their owners can change. */
export function changeable(): Game[] {
  return games.filter(({ deletedOn, isSuspended }) => deletedOn === undefined && !isSuspended);
}

export interface Today {
  readonly day: number;
  readonly service: TestService;
  readonly actors: Actors;
  readonly actorOf: (uid: string) => Actor;
  /** Pointer that the games' edge has of a game. */
  readonly pointer: (slug: string) => string | undefined;
  /** Runs a command of the operator's. */
  readonly operator: (command: string) => Promise<void>;
}

export async function ok(response: Promise<{ status: number; body: ReturnType<typeof JSON.parse> }>) {
  const { status, body } = await response;
  if (status >= 300) throw new Error(`seed ${seed}: ${status} ${JSON.stringify(body)}`);
  return body;
}

export function goLive(game: Game, release: Game["releases"][number]): Game {
  game.releases = [...game.releases.filter(({ id }) => id !== release.id), release];
  game.isLive = true;
  return game;
}
