import type { Owner } from "./operations.ts";
import { type GameResponse, play } from "./play.ts";
import type { TestService } from "./service.ts";
import { publish } from "./steps.ts";

/** The headers of a browser that opens a page. */
export const opening = { "sec-fetch-dest": "document", "sec-fetch-site": "none" };

/** Requests of players to the owner's game. */
export interface Visits {
  get(path: string, headers?: Record<string, string>): Promise<GameResponse>;
  /** The body of a 200, else the status. */
  textOf(path: string, headers?: Record<string, string>): Promise<string>;
  /** Publishes. Returns the release's id. */
  goLive(folder: Readonly<Record<string, string>>): Promise<string>;
}

export function visitsOf(service: TestService, owner: Owner): Visits {
  const get = (path: string, headers: Record<string, string> = {}) => play(service, owner.slug, { path, headers });
  return {
    get,
    textOf: async (path, headers) => {
      const { status, body } = await get(path, headers);
      return status === 200 ? body.toString() : String(status);
    },
    goLive: (folder) => publish(owner, owner.slug, folder),
  };
}
