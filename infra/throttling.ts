import { type RouteName, routes } from "../contract/routes.ts";
import type { Stage } from "./stage.ts";

/** Calls that read or write up to 20,000 files each. */
const heavy = new Set<RouteName>(["createRelease", "publishRelease"]);

/**
 * What API Gateway lets through on a route before it answers 429, all callers together: a read may take the stage's
 * whole rate, a write a fifth and a release's opening or publication a fiftieth of it. Twice the rate may come at once.
 */
export function throttleOf(name: RouteName, stage: Stage): { rateLimit: number; burstLimit: number } {
  const share = heavy.has(name) ? 50 : routes[name].method === "GET" ? 1 : 5;
  const rateLimit = Math.max(1, Math.floor(stage.requestsPerSecond / share));
  return { rateLimit, burstLimit: rateLimit * 2 };
}
