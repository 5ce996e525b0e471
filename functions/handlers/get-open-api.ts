import * as contract from "../../contract/api/service.ts";
import document from "../../contract/documents/openapi.json" with { type: "json" };
import { leftOutOptions } from "../environment.ts";
import { documentOfOrigin } from "../http/document-response.ts";
import { serveOpen } from "../http/serve-open.ts";

/**
 * The document with this service as its only server, so that a client that is given its URL calls the service it came from, and without
 * the routes of options that the stage leaves out.
 */
function documentOf(origin: string): string {
  const servers = [{ url: origin, description: "The service that sent this document" }];
  const leftOut = leftOutOptions();
  const isLeftOut = (operation: object) => "x-option" in operation && leftOut.includes(`${operation["x-option"]}`);
  const paths = Object.entries(document.paths).filter(([, operations]) => !Object.values(operations).some(isLeftOut));
  return JSON.stringify({ ...document, servers, paths: Object.fromEntries(paths) });
}

const respond = documentOfOrigin(documentOf, "application/json");

export const handler = serveOpen(contract.getOpenApi, async ({ headers }) => respond(headers));
