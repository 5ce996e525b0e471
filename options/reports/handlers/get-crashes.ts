import { response } from "../../../functions/http/response.ts";
import { serve } from "../../../functions/http/serve.ts";
import * as contract from "../contract/reports.ts";
import { crashesView } from "../functions/crashes-view.ts";
import { crashesOfReleases } from "../functions/release-crashes.ts";

export const handler = serve(contract.getCrashes, async ({ caller, query, receivedAt }) =>
  response(200, crashesView(await crashesOfReleases(caller.project, query, receivedAt))),
);
