import type { Access } from "../../../functions/permissions.ts";
import type { profileContract } from "../contract/telemetry.ts";

const byToken = ["dynamodb:BatchGetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"] as const;
const changeByToken = [...byToken, "dynamodb:ConditionCheckItem"] as const;
const read = { table: [...byToken, "dynamodb:Query"], partitions: ["ACCOUNT", "OUTBOX", "PROJECT"] } as const;

/** Permissions of the functions of its routes. */
export const access = {
  createTelemetryGrant: {
    table: changeByToken,
    partitions: ["ACCOUNT", "GRANT", "LEDGER", "OUTBOX", "PROJECT"],
    settings: ["accountQuota", "gamesDomain", "projectQuota"],
  },
  endTelemetryGrant: {
    table: [...changeByToken, "dynamodb:DeleteItem"],
    partitions: ["ACCOUNT", "GRANT", "OUTBOX", "PROJECT"],
  },
  sendTelemetry: {
    table: ["dynamodb:BatchGetItem", "dynamodb:ConditionCheckItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
    partitions: ["ACCOUNT", "GRANT", "PROJECT"],
    settings: ["apiOrigin"],
  },
  listProfiles: read,
  getProfile: read,
} as const satisfies Readonly<Record<keyof typeof profileContract.routes, Access<"GRANT">>>;
