import * as contract from "../../contract/api/projects/projects.ts";
import { deleteProject } from "../domain/projects/deletion.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { changedProjectView } from "../http/views.ts";

export const handler = serve(contract.deleteProject, async ({ caller, receivedAt }) =>
  response(200, changedProjectView(await deleteProject(caller, receivedAt), caller.account)),
);
