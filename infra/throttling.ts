import { type RouteName, routes } from "../contract/routes.ts";
import type { Stage } from "./stage.ts";

/*
 * How much of the stage's capacity a route may use: docs/decisions/0021-floods.md.
 */

/** Pages read many files; all other routes have weight 1. */
const weights: Partial<Record<RouteName, number>> = { getFile: 10 };

const names = Object.keys(routes) as RouteName[];
const totalWeight = names.reduce((sum, name) => sum + weightOf(name), 0);

function weightOf(name: RouteName): number {
  return weights[name] ?? 1;
}

/**
 * What API Gateway lets through on a route before it responds with 429, all callers together. API Gateway counts each
 * route by itself, so the stage's rate is divided among the routes: together they let through `requestsPerSecond`, and
 * for a moment twice as much.
 */
export function throttleOf(
  name: RouteName,
  { requestsPerSecond }: Pick<Stage, "requestsPerSecond">,
): { rateLimit: number; burstLimit: number } {
  const rateLimit = Math.floor((requestsPerSecond * weightOf(name) * 100) / totalWeight) / 100;
  return { rateLimit, burstLimit: Math.max(1, Math.floor(rateLimit * 2)) };
}

/** They must work while everything else is flooded: a leaked token is revoked by its owner, who signs in for that. */
const guaranteed = new Set<RouteName>(["createSession", "revokeToken"]);

/** AWS keeps 100 executions of an account for functions without a reservation, and refuses a deployment that takes them. */
const leastToReserveFrom = 200;

/**
 * How many executions of a route are reserved, which is also the most that may run at once; undefined: as many as are
 * free. Signing in and revoking keep 5 % of the account's quota each, and reading files may take 40 % of it at most.
 */
export function reservedConcurrencyOf(name: RouteName, { concurrentExecutions }: Stage): number | undefined {
  if (concurrentExecutions < leastToReserveFrom) return undefined;
  if (guaranteed.has(name)) return Math.floor(concurrentExecutions * 0.05);
  return name === "getFile" ? Math.floor(concurrentExecutions * 0.4) : undefined;
}
