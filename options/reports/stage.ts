import * as z from "zod/mini";
import type { InfraOption } from "../../infra/option.ts";
import { documentHeaders, reportsPath } from "./contract/report-paths.ts";
import { access } from "./functions/access.ts";

const settings = {
  /** False: browsers are not asked to report crashes of games, so nothing counts them. */
  reports: z.optional(z.boolean("must be true or false")),
};

type ReportsSettings = typeof settings;
declare module "../../infra/settings/stage-option.ts" {
  interface OptionSettings extends ReportsSettings {}
}

export const reports: InfraOption = { name: "reports", settings, documentHeaders, apiPaths: [reportsPath], access };
