import * as contract from "../../contract/projects.ts";
import { createProject } from "../domain/projects/projects.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { ownedProjectView, projectRequest } from "../http/views.ts";

export const handler = serve(contract.createProject, async ({ caller, body, receivedAt }) =>
  response(201, ownedProjectView(await createProject(caller, projectRequest(body), receivedAt))),
);
