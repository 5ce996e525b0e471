import { outboxPartition, outboxShards } from "../../functions/table/keys.ts";
import type { TestService } from "./service.ts";
import { itemsOf, type Stored } from "./stored.ts";

/** The notices of an account that wait, those too that are not due yet, in the order of their times. */
export async function waitingNotices(service: TestService, accountKey: string): Promise<Stored[]> {
  const shards = await Promise.all(outboxShards.map((shard) => itemsOf(service, outboxPartition(shard))));
  return shards.flat().filter((item) => item["accountKey"] === accountKey);
}
