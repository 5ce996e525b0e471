/** Names of the table's own attributes, shared with the infrastructure that creates it. */
export const attributes = {
  partitionKey: "PK",
  sortKey: "SK",
  /** Epoch seconds after which DynamoDB may delete the item. */
  timeToLive: "ttl",
} as const;

export function epochSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}

/** The epoch seconds until which an item is kept that stays for this many days after a time. */
export function ttlAfter(time: Date, days: number): number {
  return epochSeconds(time) + days * 86_400;
}
