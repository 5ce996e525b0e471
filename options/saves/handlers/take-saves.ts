import { response } from "../../../functions/http/response.ts";
import { serveOpen } from "../../../functions/http/serve-open.ts";
import * as contract from "../contract/saves-links.ts";
import { takeLink } from "../functions/saves-links.ts";

export const handler = serveOpen(contract.takeSaves, async ({ params, body, receivedAt }) =>
  response(200, { url: await takeLink(params.site, body.id, receivedAt) }),
);
