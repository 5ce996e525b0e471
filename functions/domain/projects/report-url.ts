import { reportUrlOf } from "../../../contract/report-url.ts";
import { environment } from "../../environment.ts";

/** Where anybody reports a project to the operator; null where the stage names nothing. */
export function reportUrl(slug: string): string | null {
  const { reportUrl: setting } = environment;
  return setting === undefined ? null : reportUrlOf(setting, slug);
}
