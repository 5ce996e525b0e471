import { leftOutOptions } from "../../../functions/environment.ts";
import { listProjectsWith } from "../../../functions/handlers/list-projects.ts";
import { recentPlays } from "../functions/traffic.ts";

export const handler = listProjectsWith(async (projects, now) =>
  leftOutOptions().includes("statistics") ? {} : await recentPlays(projects, now),
);
