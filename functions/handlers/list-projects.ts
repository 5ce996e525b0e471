import * as contract from "../../contract/api/projects/projects.ts";
import { listProjects } from "../domain/projects/projects.ts";
import { openPreviews, peopleOf } from "../domain/projects/state.ts";
import type { Project } from "../entities/project.ts";
import { serve } from "../http/serve.ts";
import { validatedResponse, validatorsOf } from "../http/validators.ts";
import { ownedProjectView } from "../http/views.ts";

/** Recent plays of each project, by slug; without those that nobody played. */
type RecentPlays = (projects: readonly Project[], now: Date) => Promise<Record<string, number>>;

export const handler = /* @__PURE__ */ listProjectsWith(async () => ({}));

/** The handler of a service that counts plays. */
export function listProjectsWith(recentPlays: RecentPlays) {
  return serve(contract.listProjects, async ({ caller, query, headers, receivedAt }) => {
    const { projects, nextCursor } = await listProjects(caller, query);
    const previews = projects.map((project) => [project.slug, openPreviews(project, receivedAt).length] as const);
    const page = {
      projects: projects.map((project) => ownedProjectView(project, caller.account)),
      plays: await recentPlays(projects, receivedAt),
      previews: Object.fromEntries(previews.filter(([, count]) => count > 0)),
      people: Object.fromEntries(projects.map((project) => [project.slug, peopleOf(project)])),
      next_cursor: nextCursor,
    };
    return validatedResponse(page, validatorsOf(page), headers);
  });
}
