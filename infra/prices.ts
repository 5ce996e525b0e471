/**
 * Dollars in us-east-1 as listed in January 2025, without free tiers and discounts. They are assumptions of the
 * dashboard's estimate and of the costs in docs/operations/looking.md.
 */
export const prices = {
  millionApiRequests: 1.0,
  millionFunctionCalls: 0.2,
  /** A gigabyte-second on arm64, a million of them. */
  millionGigabyteSeconds: 13.3334,
  millionTableReadUnits: 0.125,
  millionTableWriteUnits: 0.625,
  /** PUT and LIST. */
  millionStoreWrites: 5,
  millionStoreReads: 0.4,
} as const;
