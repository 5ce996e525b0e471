import document from "../../contract/openapi.json" with { type: "json" };
import { getOpenApi } from "../../contract/service.ts";
import { answer } from "../http/answer.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(getOpenApi, async () => answer(200, document));
