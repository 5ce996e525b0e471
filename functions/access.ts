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

/** What a function is told about its stage, beside the names of table and bucket and, where it authenticates, the provider. */
export type Setting = "accountQuota" | "dashboardOrigin" | "gamesDomain" | "issuer" | "projectQuota" | "reportUrl";

export interface Access {
  readonly table?: readonly TableAction[];
  /** The files of all projects: what the function does, and what the URLs that it signs allow. */
  readonly files?: readonly (ObjectAction | "s3:ListBucket")[];
  /** The manifests of all releases. */
  readonly manifests?: readonly ObjectAction[];
  readonly settings?: readonly Setting[];
  /** 1,024 when left out. */
  readonly memoryMebibytes?: number;
  /** 15 when left out. API Gateway gives up after 30. */
  readonly timeoutSeconds?: number;
}

/** Reading the account of an ID token. */
const idToken = ["dynamodb:BatchGetItem"] as const;

/** Reading the account and the token, and recording the token's use, with an event where it is a first one. */
const idTokenOrToken = [...idToken, "dynamodb:PutItem", "dynamodb:UpdateItem"] as const;

/** The same, and the check in a change that its token is still active. */
const changeByToken = [...idTokenOrToken, "dynamodb:ConditionCheckItem"] as const;

/** Moving a project between the lists of accounts' projects and deleted projects. */
const betweenLists = [...idToken, "dynamodb:DeleteItem", "dynamodb:PutItem", "dynamodb:UpdateItem"] as const;

/** Showing projects: where each is played, and where it is reported. */
const showProjects = ["gamesDomain", "reportUrl"] as const;

/** A release's manifest has up to 20,000 files, 5 MiB of JSON: one whole processor, and as long as possible. */
const wholeProcessor = { memoryMebibytes: 1_769 };
const longest = { ...wholeProcessor, timeoutSeconds: 29 };

/**
 * What each route's function may do to the table and the bucket, what it is told, and how large it is, and nothing else.
 * infra/route-function.ts makes it so; test/long/deployment/access.test.ts compares the permissions with what each function
 * does, infra/environment.test.ts the settings with what its code reads. A write in a transaction needs the same action as the
 * single write.
 */
export const access = {
  getAuthorizationServer: { settings: ["dashboardOrigin"] },
  requestDeviceCode: { table: ["dynamodb:PutItem"], settings: ["dashboardOrigin"] },
  exchangeGrant: {
    table: ["dynamodb:BatchGetItem", "dynamodb:ConditionCheckItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
  },
  approveAuthorization: { table: [...idToken, "dynamodb:PutItem"] },
  getDeviceRequest: { table: [...idToken, "dynamodb:UpdateItem"] },
  answerDeviceRequest: { table: [...idToken, "dynamodb:UpdateItem"] },
  getHealth: {},
  getOpenApi: {},
  createSession: { table: [...idToken, "dynamodb:ConditionCheckItem", "dynamodb:PutItem", "dynamodb:UpdateItem"] },
  getMe: { table: idTokenOrToken, settings: ["accountQuota", "projectQuota"] },
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
  exportMe: { table: [...idToken, "dynamodb:Query"], settings: showProjects },
  listEvents: { table: [...idToken, "dynamodb:Query"] },
  findUser: { table: ["dynamodb:BatchGetItem"], settings: ["issuer"] },
  getUser: { table: ["dynamodb:BatchGetItem"], settings: ["issuer"] },
  createToken: { table: [...idToken, "dynamodb:ConditionCheckItem", "dynamodb:PutItem", "dynamodb:UpdateItem"] },
  listTokens: { table: [...idToken, "dynamodb:Query"] },
  revokeToken: { table: [...idToken, "dynamodb:PutItem", "dynamodb:UpdateItem"] },
  getToken: { table: [...idToken, "dynamodb:Query"] },
  discloseTokens: { table: [...idToken, "dynamodb:PutItem", "dynamodb:UpdateItem"] },
  revokeCurrentToken: { table: idTokenOrToken },
  revokeTokens: { table: [...idToken, "dynamodb:PutItem", "dynamodb:UpdateItem"] },
  rotateToken: { table: [...idToken, "dynamodb:PutItem", "dynamodb:UpdateItem"] },
  createProject: { table: changeByToken, settings: showProjects },
  listProjects: { table: [...idTokenOrToken, "dynamodb:Query"], settings: showProjects },
  getProject: { table: ["dynamodb:BatchGetItem"], settings: showProjects },
  updateProject: { table: changeByToken, settings: showProjects },
  deleteProject: { table: betweenLists, settings: showProjects },
  restoreProject: { table: betweenLists, settings: showProjects },
  unpublishProject: { table: changeByToken, settings: showProjects },
  offerProject: { table: [...idToken, "dynamodb:PutItem", "dynamodb:UpdateItem"], settings: showProjects },
  withdrawOffer: { table: [...idToken, "dynamodb:UpdateItem"] },
  acceptOffer: { table: betweenLists, settings: ["accountQuota", ...showProjects] },
  createRelease: {
    table: changeByToken,
    files: ["s3:ListBucket"],
    manifests: ["s3:GetObject", "s3:PutObject"],
    settings: ["accountQuota", "gamesDomain", "projectQuota"],
    ...longest,
  },
  createUploads: {
    table: idTokenOrToken,
    files: ["s3:PutObject"],
    manifests: ["s3:GetObject"],
    ...wholeProcessor,
  },
  publishRelease: {
    table: [...changeByToken, "dynamodb:DeleteItem"],
    files: ["s3:ListBucket"],
    manifests: ["s3:GetObject"],
    settings: ["gamesDomain"],
    ...longest,
  },
  listReleases: { table: [...idTokenOrToken, "dynamodb:Query"], settings: ["gamesDomain"] },
  getRelease: { table: idTokenOrToken, settings: ["gamesDomain"] },
  compareRelease: { table: idTokenOrToken, manifests: ["s3:GetObject"] },
  getFile: { table: ["dynamodb:BatchGetItem"], files: ["s3:GetObject"], manifests: ["s3:GetObject"] },
} as const satisfies Record<RouteName, Access>;
