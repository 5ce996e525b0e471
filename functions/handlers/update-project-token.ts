import * as contract from "../../contract/api/projects/project-tokens.ts";
import { updateProjectToken } from "../domain/projects/project-tokens.ts";
import { projectTokenView } from "../http/member-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.updateProjectToken, async ({ caller, params: { id }, body, receivedAt }) =>
  response(200, projectTokenView(await updateProjectToken(caller, { id, refused: body.refused }, receivedAt))),
);
