import * as z from "zod/mini";
import { about } from "../route.ts";

const isDay = (value: string) => !Number.isNaN(Date.parse(`${value}T00:00:00Z`));

const day = z
  .string()
  .check(
    z.regex(/^\d{4}-\d{2}-\d{2}$/, "must be a day such as 2026-11-25"),
    z.refine(isDay, "must be a day such as 2026-11-25"),
  );

/** Query of a route that tells of some days, in UTC, both included. */
export const periodQuery = z.strictObject({
  from: about("The first day; 30 days by default.", z.optional(day), "2026-11-01"),
  to: about("The last day, today by default.", z.optional(day), "2026-11-25"),
});
