import * as contract from "../../contract/api/releases/previews.ts";
import { deletePreview } from "../domain/projects/previews.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.deletePreview, async ({ caller, params: { preview }, receivedAt }) =>
  response(200, { edge: await deletePreview(caller, preview, receivedAt) }),
);
