import type { Access } from "../../../functions/permissions.ts";
import type { savesContract } from "../contract/saves-links.ts";
import { savesFolder } from "./keys.ts";

/** Permissions of the functions of its routes. */
export const access = {
  sendSaves: {
    table: ["dynamodb:BatchGetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
    partitions: ["PROJECT", "SAVES"],
    passing: { option: savesFolder, actions: ["s3:PutObject"] },
  },
  takeSaves: {
    table: ["dynamodb:BatchGetItem", "dynamodb:DeleteItem", "dynamodb:UpdateItem"],
    partitions: ["PROJECT", "SAVES", "STATISTICS"],
    passing: { option: savesFolder, actions: ["s3:GetObject"] },
  },
} as const satisfies Readonly<Record<keyof typeof savesContract.routes, Access<"SAVES" | "STATISTICS">>>;
