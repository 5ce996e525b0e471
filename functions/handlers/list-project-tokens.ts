import * as contract from "../../contract/api/projects/project-tokens.ts";
import { listProjectTokens } from "../domain/projects/project-tokens.ts";
import { projectTokenView } from "../http/member-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.listProjectTokens, async ({ caller, query, receivedAt }) => {
  const { tokens, nextCursor } = await listProjectTokens(caller, query, receivedAt);
  return response(200, { tokens: tokens.map(projectTokenView), next_cursor: nextCursor });
});
