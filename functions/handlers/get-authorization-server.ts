import * as contract from "../../contract/api/login/oauth-metadata.ts";
import { findDashboardOrigin } from "../domain/login/dashboard-origin.ts";
import { apiOriginOf } from "../http/api-origin.ts";
import { metadataView } from "../http/oauth-views.ts";
import { response } from "../http/response.ts";
import { serveOpen } from "../http/serve-open.ts";

export const handler = serveOpen(contract.getAuthorizationServer, async ({ headers }) =>
  response(200, metadataView(apiOriginOf(headers), findDashboardOrigin())),
);
