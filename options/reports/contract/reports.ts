import * as z from "zod/mini";
import { limits } from "../../../contract/api/limits.ts";
import { byPeople, siteParams, slugParams } from "../../../contract/api/projects/projects.ts";
import { about, defineRoute } from "../../../contract/api/route.ts";
import type { ContractOption } from "../../../contract/api/routes.ts";
import { periodQuery } from "../../../contract/api/time/period.ts";
import { reportsPath } from "./report-paths.ts";

/** A report; what is not named here is not read. */
const report = z.looseObject({
  type: z.string(),
  user_agent: z.nullish(z.string()),
  body: z.nullish(z.looseObject({ reason: z.nullish(z.string()) })),
});

export const sendReports = defineRoute({
  method: "POST",
  path: `${reportsPath}:site/:release`,
  summary: "Count crashes of a release, which browsers report",
  tag: "Projects",
  option: "reports",
  credential: "none",
  internal: true,
  params: z.extend(siteParams, {
    release: z.string().check(z.regex(/^[\w-]{43}$/, "must be a release's name at the edge")),
  }),
  reportsBody: true,
  body: z.array(report).check(z.maxLength(limits.reportsPerBody, `must have at most ${limits.reportsPerBody} reports`)),
  responses: { 204: null },
  errors: ["release_not_found"],
});

const count = z.int();
const counts = z.record(z.string(), count);

const releaseName = z.strictObject({
  id: about("Its id.", z.string(), "00VbbL3M8vSKHg8rDkhym8"),
  number: about("Its number; null if it was never live.", z.nullable(count), 3),
});

const crashesOfRelease = z.strictObject({
  release: about("Which one.", releaseName),
  crashes: about("How many browsers reported, without those of previews.", count, 7),
  plays: about("How often it was played, as far as is counted yet; 0 too if nobody counts.", count, 1_200),
  previews: about("Crashes of its previews, whose plays nobody counts.", count, 0),
  reasons: about("Crashes and those of previews by reason: `oom`, `unresponsive`, `other`.", counts, { oom: 7 }),
  devices: about("The same by kind of device: `phone`, `tablet`, `desktop`.", counts, { phone: 7 }),
  engines: about("The same by engine: `chromium`, `firefox`, `webkit`, `other`.", counts, { chromium: 7 }),
});

export const getCrashes = defineRoute({
  method: "GET",
  path: "/projects/:slug/crashes",
  summary: `Crashes by release that browsers reported, beside its plays. At most ${limits.crashRetentionDays} days`,
  details:
    "Anybody can report crashes, so the numbers are claims. A stage that leaves reports out does not have this route.",
  tag: "Projects",
  option: "reports",
  ...byPeople,
  scope: "publish",
  params: slugParams,
  query: periodQuery,
  responses: {
    200: z.strictObject({
      from: about("The first day, in UTC.", z.string(), "2026-11-01"),
      to: about("The last day.", z.string(), "2026-11-25"),
      releases: about("Those that crashed or were played, the latest first.", z.array(crashesOfRelease)),
      worse: about(
        `The live release and the one before it, if it crashes clearly more often; without crashes of the last ${limits.crashesJudgedAfterHours} hours, whose plays are not counted yet.`,
        z.nullable(
          z.strictObject({ of: about("The live one.", releaseName), before: about("The other.", releaseName) }),
        ),
        null,
      ),
    }),
  },
});

declare module "../../../contract/api/routes.ts" {
  interface OptionRoutes {
    readonly sendReports: typeof sendReports;
    readonly getCrashes: typeof getCrashes;
  }
}

export const reportsContract = { routes: { sendReports, getCrashes } } as const satisfies ContractOption;
