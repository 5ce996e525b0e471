import * as contract from "../../contract/api/releases.ts";
import { findRelease } from "../domain/releases/releases.ts";
import { ownerOf, releaseView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.getRelease, async ({ caller, params: { slug, id }, receivedAt }) =>
  response(200, releaseView(await findRelease(slug, id, receivedAt), caller.project, ownerOf(caller))),
);
