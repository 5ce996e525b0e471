import * as contract from "../../contract/api/releases/releases.ts";
import { compareWithLive } from "../domain/releases/releases.ts";
import { changesView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.compareRelease, async ({ caller, params: { id }, receivedAt }) =>
  response(200, changesView(await compareWithLive(caller, id, receivedAt), caller.project)),
);
