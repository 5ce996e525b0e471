import * as z from "zod/mini";
import { limits } from "../../../contract/api/limits.ts";
import { byPeople, slugParams } from "../../../contract/api/projects/projects.ts";
import { about, defineRoute, time } from "../../../contract/api/route.ts";
import type { ContractOption } from "../../../contract/api/routes.ts";
import { periodQuery } from "../../../contract/api/time/period.ts";

const count = z.int();

const statisticsOfDay = z.strictObject({
  day: about("In UTC.", z.string(), "2026-11-25"),
  release: about(
    "Whose visits; null if the edge looked at none.",
    z.nullable(
      z.strictObject({
        id: about("Its id.", z.string(), "00VbbL3M8vSKHg8rDkhym8"),
        number: about("Its number.", count, 3),
      }),
    ),
  ),
  first_plays: about("Plays whose browser did not have the page.", count, 40),
  repeated_plays: about("By browsers that had it.", count, 12),
  requests: about("All. A large file is two: the redirect, and the file that it leads to.", count, 2_100),
  bytes: about("Sent to players.", count, 310_000_000),
  first_byte_milliseconds: about("Of plays, on average.", z.nullable(count), 34),
  errors: about("Responses from 400 on, by status, without `missed_pages`.", z.record(z.string(), count), { 404: 2 }),
  missed_pages: about(
    "Pages that somebody or a robot opened and that the release does not have (404): mistyped and old addresses.",
    count,
    5,
  ),
});

const monthlyBytes = z.strictObject({
  bytes: about("Sent.", count, 8_100),
  limit: about("At most; null: any.", z.nullable(count), 10_000),
});

export const getStatistics = defineRoute({
  method: "GET",
  path: "/projects/:slug/statistics",
  summary: `How a project was played, by day and release: about, and up to a day late. At most ${limits.statisticsDays} days`,
  details: "A stage that leaves the statistics out does not have this route.",
  tag: "Projects",
  option: "statistics",
  ...byPeople,
  scope: "publish",
  params: slugParams,
  query: periodQuery,
  responses: {
    200: z.strictObject({
      from: about("The first day.", z.string(), "2026-11-01"),
      to: about("The last day.", z.string(), "2026-11-25"),
      days: about("By day and release.", z.array(statisticsOfDay)),
      countries: about("Plays by country (ISO 3166-1), or `unknown`.", z.record(z.string(), count), { DE: 40 }),
      traffic: about(
        "In this month (UTC), with previews.",
        z.strictObject({
          project: about("Of this one.", monthlyBytes),
          account: about("Of all the owner's, for them alone.", z.nullable(monthlyBytes), null),
          limited_until: about("Until then players get a page.", z.nullable(time), null),
        }),
      ),
      failing: about(
        "Paths that failed most.",
        z.array(
          z.strictObject({
            path: about("As it was requested.", z.string(), "/missing.png"),
            status: about("The status.", count, 404),
            requests: about("How many.", count, 2),
          }),
        ),
      ),
      hours: about(
        "Plays by hour of the last two days; without hours that have none.",
        z.array(
          z.strictObject({
            at: about("When the hour began.", time, "2026-11-25T13:00:00.000Z"),
            plays: about("How many.", count, 7),
          }),
        ),
      ),
    }),
  },
});

declare module "../../../contract/api/routes.ts" {
  interface OptionRoutes {
    readonly getStatistics: typeof getStatistics;
  }
}

export const statisticsContract = { routes: { getStatistics } } as const satisfies ContractOption;
