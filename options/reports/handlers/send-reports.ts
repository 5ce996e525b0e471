import { response } from "../../../functions/http/response.ts";
import { serveOpen } from "../../../functions/http/serve-open.ts";
import { crashesOf } from "../contract/crashes.ts";
import * as contract from "../contract/reports.ts";
import { countCrashes } from "../functions/crashes.ts";

export const handler = serveOpen(contract.sendReports, async ({ params, body, receivedAt }) => {
  await countCrashes(params, crashesOf(body), receivedAt);
  return response(204, undefined);
});
