import document from "../../contract/openapi.json" with { type: "json" };
import { getOpenApi } from "../../contract/service.ts";
import { answer, JsonText } from "../http/answer.ts";
import { serveOpen } from "../http/serve-open.ts";

const text = new JsonText(document);

export const handler = serveOpen(getOpenApi, async () => answer(200, text));
