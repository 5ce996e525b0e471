import type * as z from "zod/mini";
import type { OptionRecord } from "./accounts/account-export.ts";
import * as accountExport from "./accounts/account-export.ts";
import * as accounts from "./accounts/accounts.ts";
import * as oauth from "./login/oauth.ts";
import * as oauthMetadata from "./login/oauth-metadata.ts";
import * as members from "./projects/members.ts";
import * as projectTokens from "./projects/project-tokens.ts";
import * as projects from "./projects/projects.ts";
import * as publishers from "./projects/publishers.ts";
import * as previews from "./releases/previews.ts";
import * as releases from "./releases/releases.ts";
import * as schedules from "./releases/schedules.ts";
import * as uploads from "./releases/uploads.ts";
import type { OptionRoute, Route } from "./route.ts";
import * as service from "./service.ts";
import * as tokens from "./tokens/tokens.ts";

/** Every route of the core by its name. docs/architecture.md, "How to add a route", names the other places of a route. */
const coreRoutes = {
  createSession: accounts.createSession,
  getMe: accounts.getMe,
  updateMe: accounts.updateMe,
  exportMe: accountExport.exportMe,
  listEvents: accounts.listEvents,
  findUser: accounts.findUser,
  getUser: accounts.getUser,
  createToken: tokens.createToken,
  listTokens: tokens.listTokens,
  getToken: tokens.getToken,
  revokeToken: tokens.revokeToken,
  revokeCurrentToken: tokens.revokeCurrentToken,
  revokeTokens: tokens.revokeTokens,
  rotateToken: tokens.rotateToken,
  discloseTokens: tokens.discloseTokens,
  createProject: projects.createProject,
  listProjects: projects.listProjects,
  getProject: projects.getProject,
  updateProject: projects.updateProject,
  deleteProject: projects.deleteProject,
  restoreProject: projects.restoreProject,
  unpublishProject: projects.unpublishProject,
  listMembers: members.listMembers,
  updateMember: members.updateMember,
  removeMember: members.removeMember,
  createInvitation: members.createInvitation,
  listInvitations: members.listInvitations,
  getInvitation: members.getInvitation,
  lookUpInvitation: members.lookUpInvitation,
  acceptInvitation: members.acceptInvitation,
  deleteInvitation: members.deleteInvitation,
  listTeam: members.listTeam,
  leaveTeam: members.leaveTeam,
  listProjectTokens: projectTokens.listProjectTokens,
  updateProjectToken: projectTokens.updateProjectToken,
  listProjectEvents: members.listProjectEvents,
  createPublisher: publishers.createPublisher,
  listPublishers: publishers.listPublishers,
  deletePublisher: publishers.deletePublisher,
  createPendingPublisher: publishers.createPendingPublisher,
  listPendingPublishers: publishers.listPendingPublishers,
  deletePendingPublisher: publishers.deletePendingPublisher,
  createRelease: releases.createRelease,
  createUploads: uploads.createUploads,
  unpackFiles: uploads.unpackFiles,
  continueUpload: uploads.continueUpload,
  publishRelease: releases.publishRelease,
  updateRelease: releases.updateRelease,
  withdrawRelease: releases.withdrawRelease,
  scheduleRelease: schedules.scheduleRelease,
  cancelSchedule: schedules.cancelSchedule,
  openPreview: previews.openPreview,
  endPreview: previews.endPreview,
  listPreviews: previews.listPreviews,
  updatePreview: previews.updatePreview,
  deletePreview: previews.deletePreview,
  listReleases: releases.listReleases,
  getRelease: releases.getRelease,
  compareRelease: releases.compareRelease,
  listFiles: releases.listFiles,
  getFile: releases.getFile,
  getAuthorizationServer: oauthMetadata.getAuthorizationServer,
  getProtectedResource: oauthMetadata.getProtectedResource,
  requestDeviceCode: oauth.requestDeviceCode,
  exchangeGrant: oauth.exchangeGrant,
  revokeTokenByForm: oauth.revokeTokenByForm,
  approveAuthorization: oauth.approveAuthorization,
  getDeviceRequest: oauth.getDeviceRequest,
  answerDeviceRequest: oauth.answerDeviceRequest,
  getRoot: service.getRoot,
  getHealth: service.getHealth,
  getOpenApi: service.getOpenApi,
  getAgentGuide: service.getAgentGuide,
  getAgentSkill: service.getAgentSkill,
  // The last one: a test that goes through all routes as one caller has no account after it.
  deleteMe: accounts.deleteMe,
} as const satisfies Record<string, Route>;

type Schema = z.core.$ZodType;
type CoreRoutes = typeof coreRoutes;

/** The routes of options by their names: each option declares its own as members of it, so that every client knows their types. */
// biome-ignore lint/suspicious/noEmptyInterface: its members are declared where the routes are
export interface OptionRoutes {}

export type CoreRouteName = keyof CoreRoutes;
export type RouteName = CoreRouteName | keyof OptionRoutes;
export type Routes = { readonly [Name in RouteName]: (CoreRoutes & OptionRoutes)[Name] };

/** Every route of the API by its name: those of the core, and those that {@link addToContract} was given. */
export const routes = { ...coreRoutes } as Routes;

/** Parts of an option for the contract. */
export interface ContractOption {
  readonly routes: Readonly<Record<string, OptionRoute>>;
  /** Schemas of its records in the export of an account. */
  readonly records?: readonly OptionRecord[];
  /** Schemas with names of their own in the API's document. */
  readonly schemas?: Readonly<Record<string, Schema>>;
}

/** Schemas of options with names of their own in the API's document, by their names. */
export const optionSchemas: Record<string, Schema> = {};

/** In the API's documents the routes of options follow those of projects and releases. */
const firstAfterOptions: CoreRouteName = "getFile";

/**
 * Adds options to the contract, once, before the program reads a route. A program that adds none has the routes of the core, although
 * their type knows all.
 */
export function addToContract(options: readonly ContractOption[]): void {
  const records = options.flatMap((option) => option.records ?? []);
  Object.assign(routes.exportMe.responses, { 200: accountExport.exportWith(records) });
  const added = options.flatMap((option) => Object.entries<Route>(option.routes));
  const all = Object.entries<Route>(routes);
  const inOrder = all.toSpliced(
    all.findIndex(([name]) => name === firstAfterOptions),
    0,
    ...added,
  );
  for (const [name] of all) Reflect.deleteProperty(routes, name);
  Object.assign(routes, Object.fromEntries(inOrder));
  Object.assign(optionSchemas, ...options.map(({ schemas }) => schemas));
}

/** The routes of options that are left out, by the options' names. */
export function routesOfOptions(leftOut: readonly string[]): RouteName[] {
  const names = Object.keys(routes) as RouteName[];
  return names.filter((name) => leftOut.includes((routes[name] as Route).option ?? ""));
}

/**
 * The routes that receive every method of their path that no other route has: the GET of each path, or else its first
 * route. Such a route also serves HEAD, if it is a GET, and refuses the other methods with 405.
 */
export function routesOfAllMethods(): ReadonlySet<RouteName> {
  const names = Object.keys(routes) as RouteName[];
  const byPath = Map.groupBy(names, (name) => routes[name].path);
  return new Set([...byPath.values()].flatMap((ofPath) => ofPath.find(isGet) ?? ofPath.slice(0, 1)));
}

function isGet(name: RouteName): boolean {
  return routes[name].method === "GET";
}

/** The file name of a route's handler and the name of its function: `createToken` is `create-token`. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
