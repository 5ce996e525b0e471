import "./contract-options.ts";
import { addOptions, type InfraOption } from "../infra/option.ts";
import { backup } from "../options/backup/stage.ts";
import { notices } from "../options/notices/stage.ts";
import { profiles } from "../options/profiles/stage.ts";
import { reports } from "../options/reports/stage.ts";
import { saves } from "../options/saves/stage.ts";
import { statistics } from "../options/statistics/stage.ts";

/** The options of stages: their settings, functions and checks. */
const options: readonly InfraOption[] = [
  // A line each.
  backup,
  notices,
  profiles,
  reports,
  saves,
  statistics,
];

addOptions(options);
