import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import type { SweepState } from "../../entities/sweep-run.ts";
import * as environment from "../../environment.ts";
import { send } from "../client.ts";
import { keys } from "../keys.ts";
import { readItems } from "../read.ts";

/** How far the sweep of all projects is; undefined before the first one. */
export async function readSweepState(): Promise<SweepState | undefined> {
  const [state] = await readItems([keys.sweep()]);
  return state;
}

/**
 * Stores how far the sweep is.
 *
 * @param before as it was read or stored last
 * @returns whether it was stored: not if another run has stored meanwhile
 */
export async function storeSweepState(state: SweepState, before: SweepState | undefined): Promise<boolean> {
  const unchanged = before
    ? { ConditionExpression: "leaseEndsAt = :before", ExpressionAttributeValues: { ":before": before.leaseEndsAt } }
    : { ConditionExpression: "attribute_not_exists(PK)" };
  try {
    await send(
      new PutCommand({ TableName: environment.tableName(), Item: { ...keys.sweep(), ...state }, ...unchanged }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** The slugs of all projects after one, in the table's own order, which stays the same. */
export async function* projectsAfter(slug: string | undefined): AsyncGenerator<string> {
  let start = slug === undefined ? undefined : keys.project(slug);
  do {
    const page = await send(
      new ScanCommand({
        TableName: environment.tableName(),
        FilterExpression: "SK = :project",
        ProjectionExpression: "slug",
        ExpressionAttributeValues: { ":project": keys.project("").SK },
        ...(start && { ExclusiveStartKey: { ...start } }),
      }),
    );
    for (const item of page.Items ?? []) yield item["slug"];
    start = page.LastEvaluatedKey as typeof start;
  } while (start !== undefined);
}
