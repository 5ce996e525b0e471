import type { Project, RefusedToken } from "../../entities/project.ts";
import { keys } from "../keys.ts";
import { change, transact } from "../transaction.ts";
import { type ProjectChange, projectEventWrites } from "./history.ts";
import { openCondition } from "./project-items.ts";

/**
 * Stores which tokens a project refuses, provided that it refuses those that it did when it was read. They stand in the project's item,
 * which the read that finds a caller reads too, and are a condition of each change of the project by a token.
 */
export async function storeRefusedTokens(
  project: Project,
  refusedTokens: Readonly<Record<string, RefusedToken>>,
  made: ProjectChange,
  event: Parameters<typeof projectEventWrites>[2],
): Promise<void> {
  await transact({
    project: change(keys.project(project.slug), { refusedTokens }, openCondition(project)),
    event: projectEventWrites(project, made, event),
  });
}
