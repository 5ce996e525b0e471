import { optionRoutes } from "../../options/contract.ts";
import * as accountExport from "./accounts/account-export.ts";
import * as accounts from "./accounts/accounts.ts";
import * as oauth from "./login/oauth.ts";
import * as oauthMetadata from "./login/oauth-metadata.ts";
import * as members from "./projects/members.ts";
import * as projects from "./projects/projects.ts";
import * as publishers from "./projects/publishers.ts";
import * as previews from "./releases/previews.ts";
import * as releases from "./releases/releases.ts";
import * as uploads from "./releases/uploads.ts";
import type { Route } from "./route.ts";
import * as service from "./service.ts";
import * as tokens from "./tokens/tokens.ts";

/** Every route of the API by its name. docs/architecture.md, "How to add a route", names the other places of a route. */
export const routes = {
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
  acceptInvitation: members.acceptInvitation,
  deleteInvitation: members.deleteInvitation,
  listProjectEvents: members.listProjectEvents,
  createPublisher: publishers.createPublisher,
  listPublishers: publishers.listPublishers,
  deletePublisher: publishers.deletePublisher,
  createPendingPublisher: publishers.createPendingPublisher,
  listPendingPublishers: publishers.listPendingPublishers,
  deletePendingPublisher: publishers.deletePendingPublisher,
  createRelease: releases.createRelease,
  createUploads: uploads.createUploads,
  continueUpload: uploads.continueUpload,
  publishRelease: releases.publishRelease,
  withdrawRelease: releases.withdrawRelease,
  openPreview: previews.openPreview,
  endPreview: previews.endPreview,
  listPreviews: previews.listPreviews,
  updatePreview: previews.updatePreview,
  deletePreview: previews.deletePreview,
  listReleases: releases.listReleases,
  getRelease: releases.getRelease,
  compareRelease: releases.compareRelease,
  ...optionRoutes,
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
  // The last one: a test that goes through all routes as one caller has no account after it.
  deleteMe: accounts.deleteMe,
} as const satisfies Record<string, Route>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;

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
