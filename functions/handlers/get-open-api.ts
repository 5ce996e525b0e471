import document from "../../contract/openapi.json" with { type: "json" };
import * as contract from "../../contract/service.ts";
import { documentResponses } from "../http/document-response.ts";
import { serveOpen } from "../http/serve-open.ts";

const respond = documentResponses(document);

export const handler = serveOpen(contract.getOpenApi, async ({ headers }) => respond(headers));
