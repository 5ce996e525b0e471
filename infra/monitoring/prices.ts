/**
 * List prices in dollars for us-east-1 in November 2026, without free tiers and discounts. The dashboard's estimate and
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
  /** HTTPS requests to CloudFront in the United States and Europe. */
  millionEdgeRequests: 1.0,
  millionViewerFunctionCalls: 0.1,
  /** Lambda@Edge; a gigabyte-second, a million of them. */
  millionOriginFunctionCalls: 0.6,
  millionOriginGigabyteSeconds: 50.01,
} as const;
