import { type RouteName, routes } from "../contract/api/routes.ts";
import type { ScheduleName } from "./schedules.ts";
import type { Stage } from "./stage.ts";

/*
 * The share of a route in the stage's capacity: docs/decisions/0021-floods.md.
 */

/**
 * Pages read many files; each device that waits for its approval polls, and each page and command asks who it is; what follows
 * that is next. What a person does a few times a year has a quarter. All other routes have weight 1.
 */
const weights: Partial<Record<RouteName, number>> = {
  ...{ getFile: 10, exchangeGrant: 5, getMe: 5, getProject: 3, listProjects: 3, createUploads: 3 },
  ...{ offerProject: 0.25, listOffers: 0.25, acceptOffer: 0.25, refuseOffer: 0.25, withdrawOffer: 0.25 },
  ...{ createPublisher: 0.25, deletePublisher: 0.25, createPendingPublisher: 0.25, deletePendingPublisher: 0.25 },
  ...{ listPendingPublishers: 0.25, restoreProject: 0.25, exportMe: 0.25, deleteMe: 0.25 },
};

const names = Object.keys(routes) as RouteName[];
const totalWeight = names.reduce((sum, name) => sum + weightOf(name), 0);

function weightOf(name: RouteName): number {
  return weights[name] ?? 1;
}

/**
 * The limit of a route, all callers together; above it API Gateway responds with 429. API Gateway counts each route
 * separately, so the stage's `requestsPerSecond` is divided among the routes. In a burst each accepts twice its share.
 */
export function throttleOf(
  name: RouteName,
  { requestsPerSecond }: Pick<Stage, "requestsPerSecond">,
): { rateLimit: number; burstLimit: number } {
  const rateLimit = Math.floor((requestsPerSecond * weightOf(name) * 100) / totalWeight) / 100;
  return { rateLimit, burstLimit: Math.max(1, Math.floor(rateLimit * 2)) };
}

/** These must work during a flood: the owner of a leaked token signs in and revokes it. */
const guaranteed = new Set<RouteName | ScheduleName>(["createSession", "revokeToken"]);

/** A schedule's event may be delivered twice, but two runs at once would deliver notices twice and out of order. */
const oneAtATime: ScheduleName = "deliver-notices";

/** AWS requires 100 executions of an account without a reservation, and refuses a deployment that reserves more. */
const leastToReserveFrom = 200;

/**
 * How many executions of a route are reserved, which is also the most that may run at once; undefined: as many as are
 * free. Signing in and revoking keep 5 % of the account's quota each. Reading files may take 40 % of it, less the one of the
 * delivery of notices.
 */
export function reservedConcurrencyOf(
  name: RouteName | ScheduleName,
  { concurrentExecutions }: Stage,
): number | undefined {
  if (concurrentExecutions < leastToReserveFrom) return undefined;
  if (name === oneAtATime) return 1;
  if (guaranteed.has(name)) return Math.floor(concurrentExecutions * 0.05);
  return name === "getFile" ? Math.floor(concurrentExecutions * 0.4) - 1 : undefined;
}
