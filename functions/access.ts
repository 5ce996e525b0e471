import type { RouteName } from "../contract/routes.ts";

type TableAction =
  | "dynamodb:BatchGetItem"
  | "dynamodb:ConditionCheckItem"
  | "dynamodb:DeleteItem"
  | "dynamodb:PutItem"
  | "dynamodb:Query"
  | "dynamodb:UpdateItem";

type ObjectAction = "s3:GetObject" | "s3:PutObject";

export interface Access {
  readonly table?: readonly TableAction[];
  /** The published files of all projects: what the function does, and what the addresses that it signs allow. */
  readonly files?: readonly (ObjectAction | "s3:ListBucket")[];
  /** The manifests of all releases. */
  readonly manifests?: readonly ObjectAction[];
}

/** An ID token: the account. */
const session = ["dynamodb:BatchGetItem"] as const;

/** An ID token or a personal access token: the account and the token, whose use is noted, with an event the first time. */
const sessionOrToken = [...session, "dynamodb:PutItem", "dynamodb:UpdateItem"] as const;

/**
 * What each route's function may do to the table and to the objects in the bucket, and nothing else. The infrastructure grants from it;
 * a test holds it against the calls that the other tests made. The item-level actions stand for the writes of a
 * transaction too: IAM knows no action of its own for those.
 */
export const access = {
  getHealth: {},
  getOpenApi: {},
  createSession: { table: [...session, "dynamodb:PutItem", "dynamodb:UpdateItem"] },
  getMe: { table: sessionOrToken },
  updateMe: { table: [...session, "dynamodb:UpdateItem"] },
  listEvents: { table: [...session, "dynamodb:Query"] },
  getUser: { table: ["dynamodb:BatchGetItem"] },
  createToken: { table: [...session, "dynamodb:ConditionCheckItem", "dynamodb:PutItem", "dynamodb:UpdateItem"] },
  listTokens: { table: [...session, "dynamodb:Query"] },
  revokeToken: { table: [...session, "dynamodb:PutItem", "dynamodb:UpdateItem"] },
  createProject: { table: sessionOrToken },
  listProjects: { table: [...sessionOrToken, "dynamodb:Query"] },
  getProject: { table: ["dynamodb:BatchGetItem"] },
  updateProject: { table: sessionOrToken },
  createRelease: {
    table: [...sessionOrToken, "dynamodb:ConditionCheckItem"],
    files: ["s3:ListBucket"],
    manifests: ["s3:GetObject", "s3:PutObject"],
  },
  createUploads: { table: sessionOrToken, files: ["s3:PutObject"], manifests: ["s3:GetObject"] },
  publishRelease: {
    table: [...sessionOrToken, "dynamodb:DeleteItem"],
    files: ["s3:ListBucket"],
    manifests: ["s3:GetObject"],
  },
  listReleases: { table: [...sessionOrToken, "dynamodb:Query"] },
  getRelease: { table: sessionOrToken },
  getFile: { table: ["dynamodb:BatchGetItem"], files: ["s3:GetObject"], manifests: ["s3:GetObject"] },
} as const satisfies Record<RouteName, Access>;
