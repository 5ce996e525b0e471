import { setTimeout as delay } from "node:timers/promises";
import type { Owner } from "./operations.ts";
import { type GameResponse, play, pointerMilliseconds } from "./play.ts";
import type { TestService } from "./service.ts";
import { publish } from "./steps.ts";

/** The headers of a browser that opens a page. */
export const opening = { "sec-fetch-dest": "document", "sec-fetch-site": "none" };

/** Requests of players to the owner's game. */
export interface Visits {
  get(path: string, headers?: Record<string, string>): Promise<GameResponse>;
  /** The body of a 200, else the status. */
  textOf(path: string, headers?: Record<string, string>): Promise<string>;
  /** Waits until the game host reads the project's pointer again with the next request. */
  nextPointer(): Promise<void>;
  /** Publishes, so that the next request sees it. Returns the release's id. */
  goLive(folder: Readonly<Record<string, string>>): Promise<string>;
}

export function visitsOf(service: TestService, owner: Owner): Visits {
  /** The latest time at which the game host may have read a project's pointer. */
  const readAt = new Map<string, number>();
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const played = await play(service, owner.slug, { path, headers });
    readAt.set(owner.slug, Date.now());
    return played;
  };
  const nextPointer = async () => {
    await delay(Math.max(0, (readAt.get(owner.slug) ?? 0) + pointerMilliseconds - Date.now()));
  };
  return {
    get,
    textOf: async (path, headers) => {
      const { status, body } = await get(path, headers);
      return status === 200 ? body.toString() : String(status);
    },
    nextPointer,
    goLive: async (folder) => {
      const id = await publish(owner, owner.slug, folder);
      await nextPointer();
      return id;
    },
  };
}
