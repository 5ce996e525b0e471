import { camelKeys } from "../../contract/api/camel-keys.ts";
import * as contract from "../../contract/api/projects/projects.ts";
import { editProject } from "../domain/projects/editing.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { assertPreconditions, projectValidators } from "../http/validators.ts";
import { ownedProjectView } from "../http/views.ts";

export const handler = serve(contract.updateProject, async ({ caller, body, headers, receivedAt }) => {
  assertPreconditions(headers, projectValidators(caller.project));
  const project = await editProject(caller, camelKeys(body), receivedAt);
  return { ...response(200, ownedProjectView(project, caller.account)), headers: projectValidators(project) };
});
