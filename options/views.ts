import type { OptionViews } from "../dashboard/src/option.ts";
import { profiles } from "./profiles/dashboard/views.ts";
import { statistics } from "./statistics/dashboard/views.ts";

/** The views of options, which are loaded later. */
export const optionViews: readonly OptionViews[] = [statistics, profiles];
