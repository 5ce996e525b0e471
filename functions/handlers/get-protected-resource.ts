import * as contract from "../../contract/api/login/oauth-metadata.ts";
import { apiOriginOf } from "../http/api-origin.ts";
import { protectedResourceView } from "../http/oauth-views.ts";
import { response } from "../http/response.ts";
import { serveOpen } from "../http/serve-open.ts";

export const handler = serveOpen(contract.getProtectedResource, async ({ headers }) =>
  response(200, protectedResourceView(apiOriginOf(headers))),
);
