import { getHealth } from "../../contract/service.ts";
import { apiVersion } from "../../contract/version.ts";
import { answer } from "../http/answer.ts";
import { serveOpen } from "../http/serve-open.ts";

export const handler = serveOpen(getHealth, async () => answer(200, { status: "ok", version: apiVersion }));
