/** Names of the table's own attributes, shared with the infrastructure that creates it. */
export const attributes = {
  partitionKey: "PK",
  sortKey: "SK",
  /** Epoch seconds after which DynamoDB may delete the item. */
  timeToLive: "ttl",
} as const;
