import { type RouteName, routes } from "../../contract/api/routes.ts";
import { schedules } from "../background/schedules.ts";
import { optionJobs } from "../settings/stage-option.ts";

/*
 * The share of a route in the stage's capacity: docs/decisions/0021-floods.md.
 */

/**
 * Pages read many files; each device that waits for its approval polls, as each page of a project does, and each page and command asks who it
 * is; what follows that is next. What a person does a few times a year has a quarter. All other routes have weight 1.
 */
const weights: Partial<Record<RouteName, number>> = {
  ...{
    getFile: 10,
    exchangeGrant: 5,
    listProjectEvents: 5,
    getMe: 5,
    getProject: 3,
    listProjects: 3,
    createUploads: 3,
  },
  ...{
    createInvitation: 0.25,
    acceptInvitation: 0.25,
    deleteInvitation: 0.25,
    getInvitation: 0.25,
    lookUpInvitation: 0.25,
  },
  ...{
    listInvitations: 0.25,
    updateMember: 0.25,
    removeMember: 0.25,
    listProjectTokens: 0.25,
    updateProjectToken: 0.25,
  },
  ...{ listTeam: 0.25, leaveTeam: 0.25 },
  ...{ createPublisher: 0.25, deletePublisher: 0.25, createPendingPublisher: 0.25, deletePendingPublisher: 0.25 },
  ...{ createWebhook: 0.25, listWebhooks: 0.25, updateWebhook: 0.25, deleteWebhook: 0.25 },
  ...{ createDelivery: 0.25, listDeliveries: 0.25 },
  // Browsers report a crash once. A flood of reports takes no more than this from others.
  ...{ sendReports: 0.25 },
  // A player moves to another device once.
  ...{ sendSaves: 0.25, takeSaves: 0.25 },
  ...{ listPendingPublishers: 0.25, restoreProject: 0.25, exportMe: 0.25, deleteMe: 0.25 },
};

function routeNames(): RouteName[] {
  return Object.keys(routes) as RouteName[];
}

function weightOf(name: RouteName): number {
  return weights[name] ?? 1;
}

/**
 * The limit of a route, all callers together; above it API Gateway responds with 429. API Gateway counts each route
 * separately, so the stage's `requestsPerSecond` is divided among the routes. In a burst each accepts twice its share.
 */
export function throttleOf(
  name: RouteName,
  { requestsPerSecond }: { readonly requestsPerSecond: number },
): { rateLimit: number; burstLimit: number } {
  const totalWeight = routeNames().reduce((sum, each) => sum + weightOf(each), 0);
  const rateLimit = Math.floor((requestsPerSecond * weightOf(name) * 100) / totalWeight) / 100;
  return { rateLimit, burstLimit: Math.max(1, Math.floor(rateLimit * 2)) };
}

/** These must work during a flood: the owner of a leaked token signs in and revokes it. */
const guaranteed = new Set(["createSession", "revokeToken"]);

/** AWS requires so many executions of an account without a reservation, and refuses a deployment that reserves more. */
const unreservedExecutions = 100;

const minToReserveFrom = 200;

/**
 * Executions of a route that are reserved, which is also the most that may run at once; undefined: as many as are free. Signing in and
 * revoking keep 5 % of the account's quota each. Reading files may take 40 % of it, less the jobs of which one runs at a time.
 */
export function reservedConcurrencyOf(
  name: string,
  { concurrentExecutions }: Pick<Reserving, "concurrentExecutions">,
): number | undefined {
  if (concurrentExecutions < minToReserveFrom) return undefined;
  if (optionJobs().oneAtATime.includes(name)) return 1;
  if (guaranteed.has(name)) return Math.floor(concurrentExecutions * 0.05);
  return name === "getFile" ? Math.floor(concurrentExecutions * 0.4) - optionJobs().oneAtATime.length : undefined;
}

/** The settings of a stage that say which executions it reserves, and of which quota: each region of an account has its own. */
interface Reserving {
  readonly account: string;
  readonly region: string;
  readonly concurrentExecutions: number;
}

/**
 * Problems if stages of one account and region reserve more executions than it has. Its quota is the highest number that
 * one of them states; only the deployment of the last one would fail, when the others run.
 */
export function overbookingProblems(stage: Reserving, others: readonly Reserving[]): string[] {
  const { account, region } = stage;
  const sharing = [stage, ...others.filter((other) => other.account === account && other.region === region)];
  const quota = Math.max(...sharing.map(({ concurrentExecutions }) => concurrentExecutions));
  const reserved = sharing.map(reservedBy).reduce((sum, count) => sum + count, 0);
  if (sharing.length === 1 || reservedBy(stage) === 0 || reserved + unreservedExecutions <= quota) return [];
  return [
    `the ${sharing.length} stages in account ${account} and ${region} reserve ${reserved} of its ${quota} concurrent executions, of which AWS keeps ${unreservedExecutions} free: lower concurrentExecutions of all but one (below ${minToReserveFrom} nothing is reserved), or move a stage to another account`,
  ];
}

function reservedBy(stage: Reserving): number {
  const counts = [...routeNames(), ...schedules()].map((name) => reservedConcurrencyOf(name, stage) ?? 0);
  return counts.reduce((sum, count) => sum + count, 0);
}
