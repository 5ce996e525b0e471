import document from "../../contract/openapi.json" with { type: "json" };
import { getOpenApi } from "../../contract/service.ts";
import { JsonText, response } from "../http/response.ts";
import { serveOpen } from "../http/serve-open.ts";

const text = new JsonText(document);

export const handler = serveOpen(getOpenApi, async () => response(200, text));
