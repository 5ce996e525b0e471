import type { IncomingMessage, ServerResponse } from "node:http";
import type { EdgeResult } from "./edge/edge-location.ts";
import type { Part } from "./part.ts";

/** Parts of an option for the local service. */
export interface LocalOption {
  readonly name: string;
  /** Environment variables of `npm start`, each with its line of the help. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The pages that it adds to each game's origin, by their paths. */
  readonly pages?: readonly string[];
  /** Headers that it adds to each page of a game that a person opens. */
  readonly documentHeaders?: Readonly<Record<string, string>>;
  /** Paths below which each game's origin passes requests on to the API. */
  readonly apiPaths?: readonly string[];
  /** Set: its pages at the games' origins upload to the store, by URLs that its routes sign. */
  readonly playersUpload?: true;
  /** Those of them that are there while nothing of the game is live. */
  readonly offlinePages?: readonly string[];
  /** Environment variables of every function. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Functions that run on schedules, by the names of their bundles. */
  readonly schedules?: readonly LocalSchedule[];
  /** Starts a part of its own, before any function runs. */
  readonly start?: (parts: { readonly dataFolder: string | undefined }) => Promise<OptionPart>;
}

/** Part that an option has started. */
export interface OptionPart extends Pick<Part, "stop"> {
  /** Environment variables for the functions. */
  readonly environment: Readonly<Record<string, string>>;
  /** Called when a player's request begins. */
  readonly watch?: PlayWatch;
}

export type PlayWatch = (request: IncomingMessage) => WatchedPlay;

/** A player's request that an option watches. */
export interface WatchedPlay {
  /** Called before the response's first byte is sent. */
  responds(result: EdgeResult): void;
  /** Called when the response has ended or was cut off. */
  ends(response: ServerResponse): void;
}

interface LocalSchedule {
  readonly name: string;
  /** The variable with the seconds between two runs; 0: none. */
  readonly setting: string;
  /** The same if the variable is unset. */
  readonly seconds: number;
}
