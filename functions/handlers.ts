import type { RouteName } from "../contract/routes.ts";
import type { Handler } from "./http/shell.ts";

/**
 * The handler of every route, loaded when it is asked for. A route without its handler file does not compile, nor does
 * a handler without its route.
 */
export const handlers = {
  createSession: () => import("./handlers/create-session.ts"),
  getMe: () => import("./handlers/get-me.ts"),
  updateMe: () => import("./handlers/update-me.ts"),
  listEvents: () => import("./handlers/list-events.ts"),
  getUser: () => import("./handlers/get-user.ts"),
  createToken: () => import("./handlers/create-token.ts"),
  listTokens: () => import("./handlers/list-tokens.ts"),
  revokeToken: () => import("./handlers/revoke-token.ts"),
  createProject: () => import("./handlers/create-project.ts"),
  listProjects: () => import("./handlers/list-projects.ts"),
  getProject: () => import("./handlers/get-project.ts"),
  updateProject: () => import("./handlers/update-project.ts"),
  createRelease: () => import("./handlers/create-release.ts"),
  createUploads: () => import("./handlers/create-uploads.ts"),
  publishRelease: () => import("./handlers/publish-release.ts"),
  listReleases: () => import("./handlers/list-releases.ts"),
  getRelease: () => import("./handlers/get-release.ts"),
  getFile: () => import("./handlers/get-file.ts"),
  getHealth: () => import("./handlers/get-health.ts"),
  getOpenApi: () => import("./handlers/get-open-api.ts"),
} as const satisfies Record<RouteName, () => Promise<{ handler: Handler }>>;
