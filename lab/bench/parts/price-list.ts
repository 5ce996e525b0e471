/*
 * Prices of requests in us-east-1, in dollars: of S3 Standard, an HTTP API and Lambda's invocations. They were written from memory: check them
 * against AWS's price list before a figure is cited.
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
