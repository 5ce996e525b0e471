import * as contract from "../../contract/api/projects/projects.ts";
import { findProject } from "../domain/projects/projects.ts";
import { serveOpen } from "../http/serve-open.ts";
import { projectValidators, validatedResponse } from "../http/validators.ts";
import { projectView } from "../http/views.ts";

export const handler = serveOpen(contract.getProject, async ({ params: { slug }, headers }) => {
  const project = await findProject(slug);
  // Without no-cache, a cache that sees Last-Modified chooses itself how long it asks for nothing (RFC 9111, section 4.2.2).
  const responseHeaders = { ...projectValidators(project), "cache-control": "no-cache" };
  return validatedResponse(projectView(project), responseHeaders, headers);
});
