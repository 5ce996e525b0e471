import * as contract from "../../contract/api/releases/releases.ts";
import { compareStored } from "../domain/releases/releases.ts";
import { changesView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.compareRelease, async ({ caller, params: { id }, query, receivedAt }) =>
  response(
    200,
    changesView(await compareStored(caller, { releaseId: id, base: query.with }, receivedAt), caller.project),
  ),
);
