import { profiles } from "./profiles/functions/access.ts";
import type { optionVariables } from "./stage.ts";
import { statistics } from "./statistics/functions/access.ts";

/** Access of the routes of options: what each of their functions may do. */
export const optionAccess = { ...profiles.routes, ...statistics.routes };

/** Partitions that listProjects reads for what options tell of a project. */
export const listedPartitions = [...statistics.listed];

/** Settings of a stage that only an option has. */
export type OptionSetting = keyof typeof optionVariables;
