import { reportUrlOf } from "../../../contract/api/projects/report-url.ts";
import * as environment from "../../environment.ts";

/**
 * URL at which anybody reports a project to the operator; null if the stage names none.
 *
 * @param slug undefined if it is about no project
 */
export function reportUrl(slug: string | undefined): string | null {
  const setting = environment.reportUrl();
  return setting === undefined ? null : reportUrlOf(setting, slug);
}
