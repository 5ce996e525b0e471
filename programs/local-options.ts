import "./contract-options.ts";
import type { LocalOption } from "../local/option.ts";
import { notices } from "../options/notices/local.ts";
import { profiles } from "../options/profiles/local.ts";
import { reports } from "../options/reports/local.ts";
import { saves } from "../options/saves/local.ts";
import { statistics } from "../options/statistics/local/option.ts";

/** The options in the local service. */
export const localOptions: readonly LocalOption[] = [
  // A line each.
  notices,
  profiles,
  reports,
  saves,
  statistics,
];
