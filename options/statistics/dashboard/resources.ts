import type { ResponseBody } from "../../../dashboard/src/api.ts";

export type Statistics = ResponseBody<"getStatistics">;
