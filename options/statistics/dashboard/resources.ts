import type { ResponseBody } from "../../../contract/client.ts";

export type Statistics = ResponseBody<"getStatistics">;
