import type { ResponseBody } from "../../../dashboard/src/api.ts";

/** How a project was played. */
export type Statistics = ResponseBody<"getStatistics">;
