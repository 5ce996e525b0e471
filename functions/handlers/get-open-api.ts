import document from "../../contract/openapi.json" with { type: "json" };
import * as contract from "../../contract/service.ts";
import { JsonText, response } from "../http/response.ts";
import { serveOpen } from "../http/serve-open.ts";

const text = new JsonText(document);

export const handler = serveOpen(contract.getOpenApi, async () => response(200, text));
