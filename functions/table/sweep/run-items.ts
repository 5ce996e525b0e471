import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import type { DueSweep, SweepState } from "../../entities/sweep-run.ts";
import * as environment from "../../environment.ts";
import { deleteItems } from "../accounts/erase.ts";
import { send } from "../client.ts";
import { keys, sweepPartition } from "../keys.ts";
import { readDue, readItems } from "../read.ts";
import { itemsLike } from "../scan.ts";
import { put, type Write } from "../transaction.ts";

/** Progress of the sweep of all projects; undefined before the first one. */
export async function readSweepState(): Promise<SweepState | undefined> {
  const [state] = await readItems([keys.sweep()]);
  return state;
}

/**
 * Stores how far the sweep is.
 *
 * @param earlier as it was read or stored last
 * @returns whether it was stored: not if another run has stored meanwhile
 */
export async function storeSweepState(state: SweepState, earlier: SweepState | undefined): Promise<boolean> {
  const unchanged = earlier
    ? { ConditionExpression: "leaseEndsAt = :before", ExpressionAttributeValues: { ":before": earlier.leaseEndsAt } }
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

/** The write that has a project swept from a time on, before its turn in the round. */
export function dueSweepWrite(slug: string, from: Date): Write<DueSweep> {
  const due = { slug, from: from.toISOString() };
  return put(keys.dueSweep(due), due);
}

/** The first of the projects that are to be swept before their turn. */
export async function readDueSweeps(now: Date): Promise<readonly DueSweep[]> {
  return (await readDue<DueSweep>(sweepPartition, now, { limit: 100 })).items;
}

/** Deletes those that the state of the sweep names. */
export async function removeDueSweeps(due: readonly DueSweep[]): Promise<void> {
  await deleteItems(due.map(keys.dueSweep));
}

/** The slugs of all projects after one, in the table's own order, which stays the same. */
export async function* projectsAfter(slug: string | undefined): AsyncGenerator<string> {
  const after = slug === undefined ? undefined : keys.project(slug);
  for await (const project of itemsLike(keys.project(""), { after, attribute: "slug" })) yield project.slug;
}
