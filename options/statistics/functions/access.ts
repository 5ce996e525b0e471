import type { Access } from "../../../functions/permissions.ts";
import type { statisticsContract } from "../contract/statistics.ts";

/** Permissions of the function of its route. */
export const access = {
  getStatistics: {
    table: ["dynamodb:BatchGetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:Query"],
    partitions: ["ACCOUNT", "OUTBOX", "PROJECT", "STATISTICS", "TRAFFIC"],
    settings: ["trafficLimits"],
  },
} as const satisfies Readonly<
  Record<keyof typeof statisticsContract.routes, Access<"STATISTICS" | "TRAFFIC", "trafficLimits">>
>;
