import * as contract from "../../contract/api/releases/previews.ts";
import { endPreview } from "../domain/projects/previews.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.endPreview, async ({ caller, params: { id }, receivedAt }) =>
  response(200, { edge: await endPreview(caller, id, receivedAt) }),
);
