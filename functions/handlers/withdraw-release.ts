import * as contract from "../../contract/releases.ts";
import { withdrawRelease } from "../domain/releases/withdrawal.ts";
import { releaseView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.withdrawRelease, async ({ caller, params: { id }, receivedAt }) =>
  response(200, releaseView(await withdrawRelease(caller, id, receivedAt), caller.project, caller.account)),
);
