import type { RouteName } from "../../contract/api/routes.ts";
import { throttleOf } from "../../infra/api/throttling.ts";

/** Says whether a request to a route is let through, and counts it. */
export type Throttle = (name: RouteName) => boolean;

/**
 * Lets requests through as API Gateway does for a stage with this many requests a second: a token bucket for each route,
 * which holds the route's burst and is filled at the route's rate (infra/api/throttling.ts).
 *
 * @param clock milliseconds that never go back
 */
export function throttle(requestsPerSecond: number, clock = () => performance.now()): Throttle {
  const buckets = new Map<RouteName, { readonly tokens: number; readonly at: number }>();
  return (name) => {
    const { rateLimit, burstLimit } = throttleOf(name, { requestsPerSecond });
    const at = clock();
    const bucket = buckets.get(name) ?? { tokens: burstLimit, at };
    const tokens = Math.min(burstLimit, bucket.tokens + ((at - bucket.at) / 1_000) * rateLimit);
    const isLetThrough = tokens >= 1;
    buckets.set(name, { tokens: isLetThrough ? tokens - 1 : tokens, at });
    return isLetThrough;
  };
}
