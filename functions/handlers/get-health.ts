import * as contract from "../../contract/api/service.ts";
import { apiVersion } from "../../contract/api/version.ts";
import { response } from "../http/response.ts";
import { serveOpen } from "../http/serve-open.ts";

export const handler = serveOpen(contract.getHealth, async () => response(200, { status: "ok", version: apiVersion }));
