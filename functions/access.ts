import type { RouteName } from "../contract/routes.ts";

type TableAction =
  | "dynamodb:BatchGetItem"
  | "dynamodb:BatchWriteItem"
  | "dynamodb:ConditionCheckItem"
  | "dynamodb:DeleteItem"
  | "dynamodb:PutItem"
  | "dynamodb:Query"
  | "dynamodb:UpdateItem";

type ObjectAction = "s3:GetObject" | "s3:PutObject";

export interface Access {
  readonly table?: readonly TableAction[];
  /** The files of all projects: what the function does, and what the URLs that it signs allow. */
  readonly files?: readonly (ObjectAction | "s3:ListBucket")[];
  /** The manifests of all releases. */
  readonly manifests?: readonly ObjectAction[];
}

/** Reading the account of an ID token. */
const idToken = ["dynamodb:BatchGetItem"] as const;

/** Reading the account and the token, and recording the token's use, with an event where it is a first one. */
const idTokenOrToken = [...idToken, "dynamodb:PutItem", "dynamodb:UpdateItem"] as const;

/** The same, and the check in a change that its token is still active. */
const changeByToken = [...idTokenOrToken, "dynamodb:ConditionCheckItem"] as const;

/** Moving a project between the lists of accounts' projects and deleted projects. */
const betweenLists = [...idToken, "dynamodb:DeleteItem", "dynamodb:PutItem", "dynamodb:UpdateItem"] as const;

/**
 * What each route's function may do to the table and the bucket, and nothing else. infra/route-function.ts grants it;
 * test/long/deployment/access.test.ts compares it with what each function does. A write in a transaction needs the same action as
 * the single write.
 */
export const access = {
  getAuthorizationServer: {},
  requestDeviceCode: { table: ["dynamodb:PutItem"] },
  exchangeGrant: {
    table: ["dynamodb:BatchGetItem", "dynamodb:ConditionCheckItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
  },
  approveAuthorization: { table: [...idToken, "dynamodb:PutItem"] },
  getDeviceRequest: { table: [...idToken, "dynamodb:UpdateItem"] },
  answerDeviceRequest: { table: [...idToken, "dynamodb:UpdateItem"] },
  getHealth: {},
  getOpenApi: {},
  createSession: { table: [...idToken, "dynamodb:ConditionCheckItem", "dynamodb:PutItem", "dynamodb:UpdateItem"] },
  getMe: { table: idTokenOrToken },
  updateMe: { table: [...idToken, "dynamodb:UpdateItem"] },
  deleteMe: {
    table: [
      ...idToken,
      "dynamodb:BatchWriteItem",
      "dynamodb:DeleteItem",
      "dynamodb:PutItem",
      "dynamodb:Query",
      "dynamodb:UpdateItem",
    ],
  },
  exportMe: { table: [...idToken, "dynamodb:Query"] },
  listEvents: { table: [...idToken, "dynamodb:Query"] },
  findUser: { table: ["dynamodb:BatchGetItem"] },
  getUser: { table: ["dynamodb:BatchGetItem"] },
  createToken: { table: [...idToken, "dynamodb:ConditionCheckItem", "dynamodb:PutItem", "dynamodb:UpdateItem"] },
  listTokens: { table: [...idToken, "dynamodb:Query"] },
  revokeToken: { table: [...idToken, "dynamodb:PutItem", "dynamodb:UpdateItem"] },
  getToken: { table: [...idToken, "dynamodb:Query"] },
  discloseTokens: { table: [...idToken, "dynamodb:PutItem", "dynamodb:UpdateItem"] },
  revokeCurrentToken: { table: idTokenOrToken },
  revokeTokens: { table: [...idToken, "dynamodb:PutItem", "dynamodb:UpdateItem"] },
  rotateToken: { table: [...idToken, "dynamodb:PutItem", "dynamodb:UpdateItem"] },
  createProject: { table: changeByToken },
  listProjects: { table: [...idTokenOrToken, "dynamodb:Query"] },
  getProject: { table: ["dynamodb:BatchGetItem"] },
  updateProject: { table: changeByToken },
  deleteProject: { table: betweenLists },
  restoreProject: { table: betweenLists },
  unpublishProject: { table: changeByToken },
  offerProject: { table: [...idToken, "dynamodb:PutItem", "dynamodb:UpdateItem"] },
  withdrawOffer: { table: [...idToken, "dynamodb:UpdateItem"] },
  acceptOffer: { table: betweenLists },
  createRelease: {
    table: changeByToken,
    files: ["s3:ListBucket"],
    manifests: ["s3:GetObject", "s3:PutObject"],
  },
  createUploads: { table: idTokenOrToken, files: ["s3:PutObject"], manifests: ["s3:GetObject"] },
  publishRelease: {
    table: [...changeByToken, "dynamodb:DeleteItem"],
    files: ["s3:ListBucket"],
    manifests: ["s3:GetObject"],
  },
  listReleases: { table: [...idTokenOrToken, "dynamodb:Query"] },
  getRelease: { table: idTokenOrToken },
  compareRelease: { table: idTokenOrToken, manifests: ["s3:GetObject"] },
  getFile: { table: ["dynamodb:BatchGetItem"], files: ["s3:GetObject"], manifests: ["s3:GetObject"] },
} as const satisfies Record<RouteName, Access>;
