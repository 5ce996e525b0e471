import { getHealth } from "../../contract/service.ts";
import { apiVersion } from "../../contract/version.ts";
import { response } from "../http/response.ts";
import { serveOpen } from "../http/serve-open.ts";

export const handler = serveOpen(getHealth, async () => response(200, { status: "ok", version: apiVersion }));
