import type { LocalOption } from "../local/option.ts";
import { notices } from "./notices/local.ts";
import { profiles } from "./profiles/local.ts";
import { statistics } from "./statistics/local/option.ts";

/** The options in the local service. */
export const options: readonly LocalOption[] = [
  // A line each.
  notices,
  profiles,
  statistics,
];

/** The environment variables of `npm start` that they have, each with its line of the help. */
export const optionSettings = { ...notices.settings, ...statistics.settings };
