import * as accounts from "./accounts.ts";
import * as oauth from "./oauth.ts";
import * as projects from "./projects.ts";
import * as releases from "./releases.ts";
import type { Route } from "./route.ts";
import * as service from "./service.ts";
import * as tokens from "./tokens.ts";

/** Every route of the API by its name. docs/architecture.md, "How to add a route", names the other places of a route. */
export const routes = {
  createSession: accounts.createSession,
  getMe: accounts.getMe,
  updateMe: accounts.updateMe,
  listEvents: accounts.listEvents,
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
  createRelease: releases.createRelease,
  createUploads: releases.createUploads,
  publishRelease: releases.publishRelease,
  listReleases: releases.listReleases,
  getRelease: releases.getRelease,
  getFile: releases.getFile,
  getAuthorizationServer: oauth.getAuthorizationServer,
  requestDeviceCode: oauth.requestDeviceCode,
  exchangeGrant: oauth.exchangeGrant,
  approveAuthorization: oauth.approveAuthorization,
  getDeviceRequest: oauth.getDeviceRequest,
  answerDeviceRequest: oauth.answerDeviceRequest,
  getHealth: service.getHealth,
  getOpenApi: service.getOpenApi,
} as const satisfies Record<string, Route>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;

/** The file name of a route's handler and the name of its function: `createToken` is `create-token`. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
