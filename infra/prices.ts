/**
 * List prices in dollars for us-east-1 in January 2025, without free tiers and discounts. The dashboard's estimate and
 * docs/operations/looking.md use them.
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
  /** A gigabyte stored for a month: the price of each up to this many gigabytes. */
  storedGigabyteMonth: [
    [50_000, 0.023],
    [500_000, 0.022],
    [Number.POSITIVE_INFINITY, 0.021],
  ],
  /** A gigabyte sent to the internet, by what is sent in a month. */
  sentGigabyte: [
    [10_000, 0.09],
    [50_000, 0.085],
    [150_000, 0.07],
    [Number.POSITIVE_INFINITY, 0.05],
  ],
} as const;
