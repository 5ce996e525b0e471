import type { Access } from "../../../functions/permissions.ts";
import type { webhookContract } from "../contract/webhooks.ts";

const read = ["dynamodb:BatchGetItem"] as const;

/** Permissions of the functions of its routes. */
export const access = {
  listWebhooks: { table: read, partitions: ["ACCOUNT", "PROJECT", "WEBHOOK"] },
  createWebhook: {
    table: [...read, "dynamodb:PutItem", "dynamodb:UpdateItem"],
    partitions: ["ACCOUNT", "PROJECT"],
  },
  updateWebhook: {
    table: [...read, "dynamodb:BatchWriteItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
    partitions: ["ACCOUNT", "PROJECT", "WEBHOOK"],
  },
  deleteWebhook: {
    table: [...read, "dynamodb:BatchWriteItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem"],
    partitions: ["ACCOUNT", "PROJECT", "WEBHOOK"],
  },
  createDelivery: {
    table: [...read, "dynamodb:PutItem"],
    partitions: ["ACCOUNT", "OUTBOX", "PROJECT", "WEBHOOK"],
    settings: ["dashboardOrigin", "gamesDomain"],
  },
  listDeliveries: { table: [...read, "dynamodb:Query"], partitions: ["ACCOUNT", "PROJECT", "WEBHOOK"] },
} as const satisfies Readonly<Record<keyof typeof webhookContract.routes, Access<"WEBHOOK">>>;
