import * as contract from "../../contract/api/projects/projects.ts";
import { unpublishProject } from "../domain/projects/deletion.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { changedProjectView } from "../http/views.ts";

export const handler = serve(contract.unpublishProject, async ({ caller, body, receivedAt }) =>
  response(200, changedProjectView(await unpublishProject(caller, body.expect_current, receivedAt), caller.account)),
);
