import type { RulesOption } from "../functions/option.ts";
import { profiles } from "./profiles/functions/rules.ts";
import { statistics } from "./statistics/functions/rules.ts";

/** The options that the rules of the core ask. */
export const options: readonly RulesOption[] = [
  // A line each.
  profiles,
  statistics,
];
