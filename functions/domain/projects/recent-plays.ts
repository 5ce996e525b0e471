import { options } from "../../../options/rules.ts";
import type { Project } from "../../entities/project.ts";
import { leftOutOptions } from "../../environment.ts";

/** Recent plays of each project, by slug; without those that nobody played, and empty if the stage does not count. */
export async function recentPlays(projects: readonly Project[], now: Date): Promise<Record<string, number>> {
  const leftOut = leftOutOptions();
  const counting = options.find(({ name, recentPlays }) => recentPlays !== undefined && !leftOut.includes(name));
  return (await counting?.recentPlays?.(projects, now)) ?? {};
}
