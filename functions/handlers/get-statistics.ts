import * as contract from "../../contract/api/statistics.ts";
import { statisticsOf } from "../domain/statistics/statistics.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { statisticsView } from "../http/statistics-views.ts";

export const handler = serve(contract.getStatistics, async ({ caller, query, receivedAt }) =>
  response(200, statisticsView(await statisticsOf(caller.project, query, receivedAt))),
);
