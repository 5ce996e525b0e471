import type { CliOption } from "../cli/src/option.ts";
import { profiles } from "./profiles/cli/option.ts";
import { statistics } from "./statistics/cli/option.ts";

/** The options in the command line. */
export const options: readonly CliOption[] = [statistics, profiles];
