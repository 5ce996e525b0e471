import { camelKeys } from "../../contract/api/camel-keys.ts";
import * as contract from "../../contract/api/projects/projects.ts";
import { createProject } from "../domain/projects/projects.ts";
import { created } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { ownedProjectView } from "../http/views.ts";

export const handler = serve(contract.createProject, async ({ caller, idempotency, body, receivedAt }) => {
  const project = await createProject(caller, camelKeys(body), receivedAt, idempotency);
  return created(`/projects/${project.slug}`, ownedProjectView(project, caller.account));
});
