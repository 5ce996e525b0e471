import type { LocalOption } from "../../local/option.ts";
import { documentHeaders, reportsPath } from "./contract/report-paths.ts";

export const reports: LocalOption = { name: "reports", documentHeaders, apiPaths: [reportsPath] };
