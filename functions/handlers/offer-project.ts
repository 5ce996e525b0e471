import * as contract from "../../contract/api/projects.ts";
import { offerProject } from "../domain/projects/transfers.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { ownedProjectView } from "../http/views.ts";

export const handler = serve(contract.offerProject, async ({ caller, body, receivedAt }) =>
  response(200, ownedProjectView(await offerProject(caller, body.to, receivedAt), caller.account)),
);
