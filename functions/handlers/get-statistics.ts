import * as contract from "../../contract/api/statistics.ts";
import { statisticsOf } from "../domain/statistics/statistics.ts";
import { trafficOf } from "../domain/statistics/traffic.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { statisticsView } from "../http/statistics-views.ts";

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
