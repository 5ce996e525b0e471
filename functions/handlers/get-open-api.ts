import * as contract from "../../contract/api/service.ts";
import document from "../../contract/documents/openapi.json" with { type: "json" };
import { documentResponses } from "../http/document-response.ts";
import { serveOpen } from "../http/serve-open.ts";

const respond = documentResponses(document);

export const handler = serveOpen(contract.getOpenApi, async ({ headers }) => respond(headers));
