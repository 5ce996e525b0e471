import type { Access } from "../../../functions/permissions.ts";
import type { reportsContract } from "../contract/reports.ts";

/** Permissions of the functions of its routes. */
export const access = {
  sendReports: {
    table: ["dynamodb:BatchGetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem"],
    partitions: ["CRASHES", "OUTBOX", "PROJECT", "STATISTICS"],
  },
  getCrashes: {
    table: ["dynamodb:BatchGetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:Query"],
    partitions: ["ACCOUNT", "CRASHES", "OUTBOX", "PROJECT", "STATISTICS"],
  },
} as const satisfies Readonly<Record<keyof typeof reportsContract.routes, Access<"CRASHES" | "STATISTICS">>>;
