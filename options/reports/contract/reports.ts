import * as z from "zod/mini";
import { limits } from "../../../contract/api/limits.ts";
import { defineRoute } from "../../../contract/api/route.ts";
import type { ContractOption } from "../../../contract/api/routes.ts";
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
  params: z.strictObject({
    site: z.string().check(z.regex(/^[a-z0-9-]{3,62}$/, "must be a slug, or the label of a preview's host")),
    release: z.string().check(z.regex(/^[\w-]{43}$/, "must be a release's name at the edge")),
  }),
  reportsBody: true,
  body: z.array(report).check(z.maxLength(limits.reportsPerBody, `must have at most ${limits.reportsPerBody} reports`)),
  responses: { 204: null },
  errors: ["release_not_found"],
});

declare module "../../../contract/api/routes.ts" {
  interface OptionRoutes {
    readonly sendReports: typeof sendReports;
  }
}

export const reportsContract = { routes: { sendReports } } as const satisfies ContractOption;
