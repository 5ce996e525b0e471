import { response } from "../../../functions/http/response.ts";
import { serve } from "../../../functions/http/serve.ts";
import * as contract from "../contract/statistics.ts";
import { statisticsOf } from "../functions/statistics.ts";
import { statisticsView } from "../functions/statistics-views.ts";
import { trafficOf } from "../functions/traffic.ts";

export const handler = serve(contract.getStatistics, async ({ caller, query, receivedAt }) => {
  const { project, account } = caller;
  const isNarrowed = caller.kind === "token" && caller.token.projects !== null;
  const [statistics, traffic] = await Promise.all([
    statisticsOf(project, query, receivedAt),
    trafficOf(project, receivedAt),
  ]);
  return response(
    200,
    statisticsView(statistics, traffic, { ofAccount: account.key === project.ownerKey && !isNarrowed }),
  );
});
