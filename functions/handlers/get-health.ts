import { getHealth } from "../../contract/service.ts";
import { apiVersion } from "../../contract/version.ts";
import { answer } from "../http/answer.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(getHealth, async () => answer(200, { status: "ok", version: apiVersion }));
