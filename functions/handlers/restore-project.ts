import * as contract from "../../contract/api/projects/projects.ts";
import { restoreProject } from "../domain/projects/deletion.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { changedProjectView } from "../http/views.ts";

export const handler = serve(contract.restoreProject, async ({ caller, receivedAt }) =>
  response(200, changedProjectView(await restoreProject(caller, receivedAt), caller.account)),
);
