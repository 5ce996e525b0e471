import type * as z from "zod/mini";
import type { OptionRoute } from "../contract/api/route.ts";
import { profileRecord, profileRoutes, profileSchemas } from "./profiles/contract/telemetry.ts";
import { getStatistics } from "./statistics/contract/statistics.ts";

/** The routes of options, by their names. */
export const optionRoutes = { getStatistics, ...profileRoutes } as const satisfies Readonly<
  Record<string, OptionRoute>
>;

/** Schemas of options with names of their own in the API's document. */
export const optionSchemas: Readonly<Record<string, z.core.$ZodType>> = { ...profileSchemas };

/** The records of options in the export of an account. */
export const optionRecords = [profileRecord] as const;
