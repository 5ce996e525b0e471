import type { Access } from "../../../functions/permissions.ts";

/** Permissions that functions of routes need for statistics. */
export const statistics = {
  routes: {
    getStatistics: {
      table: ["dynamodb:BatchGetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:Query"],
      partitions: ["ACCOUNT", "OUTBOX", "PROJECT", "STATISTICS", "TRAFFIC"],
      settings: ["trafficLimits"],
    },
  },
  /** Partitions that listProjects reads. */
  listed: ["STATISTICS"],
} as const satisfies {
  readonly routes: Readonly<Record<string, Access<"STATISTICS" | "TRAFFIC", "trafficLimits">>>;
  readonly listed: readonly string[];
};
