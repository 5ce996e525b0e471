import * as contract from "../../contract/api/service.ts";
import document from "../../contract/documents/openapi.json" with { type: "json" };
import { apiOriginOf } from "../http/api-origin.ts";
import { documentResponses } from "../http/document-response.ts";
import { serveOpen } from "../http/serve-open.ts";

type Respond = ReturnType<typeof documentResponses>;

let current: { readonly origin: string; readonly respond: Respond } | undefined;

/** The document with this service as its only server, so that a client that is given its URL calls the service it came from. */
function respondAs(origin: string): Respond {
  if (current?.origin !== origin) {
    const servers = [{ url: origin, description: "The service that sent this document" }];
    current = { origin, respond: documentResponses({ ...document, servers }) };
  }
  return current.respond;
}

export const handler = serveOpen(contract.getOpenApi, async ({ headers }) => respondAs(apiOriginOf(headers))(headers));
