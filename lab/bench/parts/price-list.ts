/*
 * Prices of requests in us-east-1, in dollars: of S3 Standard (https://aws.amazon.com/s3/pricing/), of an HTTP API
 * (https://aws.amazon.com/api-gateway/pricing/, the first 300 million) and of Lambda's invocations (https://aws.amazon.com/lambda/pricing/). They agree
 * with what public documents of 2025 and 2026 cite of these pages; look there before a figure is cited as today's.
 */
const dollars = { write: 0.005 / 1_000, read: 0.000_4 / 1_000, api: (1 + 0.2) / 1_000_000 };

/** The price of requests to S3, each with its method and path. Deletions are free, and a list costs as much as a write. */
export function storeDollars(requests: readonly string[]): number {
  const priceOf = (request: string) => {
    if (request.startsWith("DELETE")) return 0;
    return /^(?:GET|HEAD) /.test(request) && !request.includes("list-type=") ? dollars.read : dollars.write;
  };
  return requests.reduce((sum, request) => sum + priceOf(request), 0);
}

/** The price of requests to the API, without the time of its functions. */
export function apiDollars(requests: readonly string[]): number {
  return requests.length * dollars.api;
}
