import * as contract from "../../contract/api/projects.ts";
import { findProject } from "../domain/projects/projects.ts";
import { response } from "../http/response.ts";
import { serveOpen } from "../http/serve-open.ts";
import { projectView } from "../http/views.ts";

export const handler = serveOpen(contract.getProject, async ({ params: { slug } }) =>
  response(200, projectView(await findProject(slug))),
);
