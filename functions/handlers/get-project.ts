import { getProject } from "../../contract/projects.ts";
import { findProject } from "../domain/projects.ts";
import { answer } from "../http/answer.ts";
import { serve } from "../http/serve.ts";
import { projectView } from "../http/views.ts";

export const handler = serve(getProject, async ({ params: { slug } }) =>
  answer(200, projectView(await findProject(slug))),
);
