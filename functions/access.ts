import type { CoreRouteName } from "../contract/api/routes.ts";
import type { Access } from "./permissions.ts";

/** Reading the account of an ID token. */
const idToken = ["dynamodb:BatchGetItem"] as const;

/** Reading the account and the token, and recording the token's use, with an event if it is a first one. */
const idTokenOrToken = [...idToken, "dynamodb:PutItem", "dynamodb:UpdateItem"] as const;

/** The same, and the check in a change that its token is still active. */
const changeByToken = [...idTokenOrToken, "dynamodb:ConditionCheckItem"] as const;

/** Changing the publishers of a project, with an event. */
const changePublishers = [...idToken, "dynamodb:PutItem", "dynamodb:UpdateItem"] as const;

/**
 * Changing and deleting items of an account: a project moves between lists, a revoked token's expiry notice goes with it.
 */
const changeAndDelete = [...idToken, "dynamodb:DeleteItem", "dynamodb:PutItem", "dynamodb:UpdateItem"] as const;

/**
 * Actions that a route with `pointers` may do, beside its own, on a stage with a games' edge: the change's transaction writes
 * the waiting pointer; then what waits is read, written to the store, and deleted.
 */
export const onPointers = {
  partition: "POINTER",
  withChange: ["dynamodb:PutItem"],
  afterChange: ["dynamodb:BatchWriteItem", "dynamodb:Query"],
  /** Count of the account's writes of the day. */
  count: ["dynamodb:UpdateItem"],
  store: ["cloudfront-keyvaluestore:DescribeKeyValueStore", "cloudfront-keyvaluestore:UpdateKeys"],
} as const;

/** The caller's account, what it is told, and the project that it acts on. */
const ofProject = ["ACCOUNT", "OUTBOX", "PROJECT"] as const;

/** Showing projects: where each is played, and where it is reported. */
const showProjects = ["gamesDomain", "reportUrl"] as const;

/** Showing releases: where each is played, and whether copies of it are false. */
const showReleases = { partitions: ofProject, copies: "read", settings: ["gamesDomain"] } as const;

/** A release's manifest has up to 20,000 files, 5 MiB of JSON: one whole processor, and as long as possible. */
const wholeProcessor = { memoryMebibytes: 1_769 };
const longest = { ...wholeProcessor, timeoutSeconds: 29 };

/** Letting a release be played: whether all its files are there, and what the edge knows of its project. */
const beginPlaying = {
  partitions: ofProject,
  files: ["s3:AbortMultipartUpload", "s3:ListBucket", "s3:PutObject"],
  proofs: ["s3:GetObject", "s3:ListBucket"],
  manifests: ["s3:GetObject"],
  copies: "check",
  settings: ["gamesDomain"],
  pointers: true,
  ...longest,
} as const;

const { pointers: _, ...withoutPointers } = beginPlaying;
/** Scheduling a release: it must be complete, and the edge learns nothing yet. */
const ofSchedule = { ...withoutPointers, partitions: [...ofProject, "SCHEDULE"] } as const;

/** Access of the job that makes scheduled releases live. */
export const publishScheduled = {
  ...beginPlaying,
  table: [...changeByToken, "dynamodb:DeleteItem", "dynamodb:Query"],
  partitions: [...ofProject, "SCHEDULE"],
  settings: [...beginPlaying.settings, "issuer"],
} as const satisfies Access;

/**
 * Access of the function of each route of the core: what it may do to the table and the bucket, what it is told, and how large it is, and
 * nothing else. infra/api/route-function.ts makes it so; test/long/deployment/access.test.ts compares the permissions with what
 * each function does, infra/api/access.test.ts the settings with what its code reads. A write in a transaction needs the same
 * action as the single write.
 */
export const access: Readonly<Record<CoreRouteName, Access>> = {
  getAuthorizationServer: { settings: ["apiOrigin", "dashboardOrigin"] },
  getProtectedResource: { settings: ["apiOrigin"] },
  revokeTokenByForm: { table: changeAndDelete, partitions: ["ACCOUNT", "OUTBOX"] },
  requestDeviceCode: {
    table: ["dynamodb:PutItem"],
    partitions: ["DEVICE"],
    settings: ["apiOrigin", "dashboardOrigin"],
  },
  exchangeGrant: {
    table: [
      "dynamodb:BatchGetItem",
      "dynamodb:ConditionCheckItem",
      "dynamodb:DeleteItem",
      "dynamodb:PutItem",
      "dynamodb:Query",
      "dynamodb:UpdateItem",
    ],
    partitions: ["ACCOUNT", "CODE", "DEVICE", "JTI", "OUTBOX", "PROJECT"],
    settings: ["apiOrigin", "issuer", "jobIssuers", "maxTokenDays"],
  },
  approveAuthorization: {
    table: [...idToken, "dynamodb:PutItem"],
    partitions: ["ACCOUNT", "CODE"],
    settings: ["maxTokenDays"],
  },
  getDeviceRequest: { table: [...idToken, "dynamodb:UpdateItem"], partitions: ["ACCOUNT", "DEVICE"] },
  answerDeviceRequest: {
    table: [...idToken, "dynamodb:PutItem", "dynamodb:UpdateItem"],
    partitions: ["ACCOUNT", "DEVICE"],
    settings: ["maxTokenDays"],
  },
  getRoot: { settings: ["dashboardOrigin"] },
  getHealth: {},
  getOpenApi: { settings: ["apiOrigin"] },
  getAgentGuide: { settings: ["apiOrigin", "commandLine"] },
  getAgentSkill: { settings: ["apiOrigin", "commandLine"] },
  createSession: {
    table: [...idToken, "dynamodb:ConditionCheckItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
    partitions: ["ACCOUNT", "OUTBOX"],
    settings: ["developers"],
  },
  getMe: {
    table: idTokenOrToken,
    partitions: ["ACCOUNT", "LEDGER", "OUTBOX"],
    settings: ["accountQuota", "projectQuota"],
  },
  updateMe: {
    table: [...idToken, "dynamodb:DeleteItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
    partitions: ["ACCOUNT", "AUTHOR", "LEDGER"],
    settings: ["accountQuota", "projectQuota"],
  },
  deleteMe: {
    table: [
      ...idToken,
      "dynamodb:BatchWriteItem",
      "dynamodb:DeleteItem",
      "dynamodb:PutItem",
      "dynamodb:Query",
      "dynamodb:UpdateItem",
    ],
    partitions: ["ACCOUNT", "AUTHOR", "LEDGER", "OUTBOX", "PROJECT"],
  },
  exportMe: {
    table: [...idToken, "dynamodb:Query"],
    partitions: ["ACCOUNT", "LEDGER", "PROJECT"],
    settings: showProjects,
  },
  listEvents: { table: [...idToken, "dynamodb:Query"], partitions: ["ACCOUNT"] },
  findUser: { table: ["dynamodb:BatchGetItem"], partitions: ["ACCOUNT"], settings: ["issuer"] },
  getUser: { table: ["dynamodb:BatchGetItem"], partitions: ["ACCOUNT"], settings: ["issuer"] },
  createToken: {
    table: [
      ...idToken,
      "dynamodb:ConditionCheckItem",
      "dynamodb:DeleteItem",
      "dynamodb:PutItem",
      "dynamodb:UpdateItem",
    ],
    partitions: ["ACCOUNT", "OUTBOX"],
    settings: ["maxTokenDays"],
  },
  listTokens: { table: [...idToken, "dynamodb:Query"], partitions: ["ACCOUNT"] },
  revokeToken: { table: changeAndDelete, partitions: ["ACCOUNT", "OUTBOX"] },
  getToken: { table: [...idToken, "dynamodb:Query"], partitions: ["ACCOUNT"] },
  discloseTokens: { table: changeAndDelete, partitions: ["ACCOUNT", "OUTBOX"] },
  revokeCurrentToken: { table: [...idTokenOrToken, "dynamodb:DeleteItem"], partitions: ["ACCOUNT", "OUTBOX"] },
  revokeTokens: { table: [...changeAndDelete, "dynamodb:Query"], partitions: ofProject },
  rotateToken: { table: changeAndDelete, partitions: ["ACCOUNT", "OUTBOX"], settings: ["maxTokenDays"] },
  createProject: { table: [...changeByToken, "dynamodb:Query"], partitions: ofProject, settings: showProjects },
  listProjects: {
    table: [...idTokenOrToken, "dynamodb:Query"],
    partitions: ofProject,
    settings: showProjects,
  },
  getProject: { table: ["dynamodb:BatchGetItem"], partitions: ["PROJECT"], settings: showProjects },
  // Players read the name of a game that is offline.
  updateProject: {
    table: changeByToken,
    partitions: ofProject,
    manifests: ["s3:GetObject"],
    settings: showProjects,
    pointers: true,
  },
  deleteProject: { table: changeAndDelete, partitions: ofProject, settings: showProjects, pointers: true },
  restoreProject: {
    table: changeAndDelete,
    partitions: ["ACCOUNT", "LEDGER", "PROJECT"],
    settings: showProjects,
    pointers: true,
  },
  unpublishProject: { table: changeByToken, partitions: ofProject, settings: showProjects, pointers: true },
  listMembers: { table: idTokenOrToken, partitions: ofProject },
  updateMember: { table: changeAndDelete, partitions: ofProject },
  removeMember: { table: changeAndDelete, partitions: ofProject },
  createInvitation: { table: changeAndDelete, partitions: ofProject },
  listInvitations: {
    table: [...idToken, "dynamodb:Query"],
    partitions: ["ACCOUNT", "PROJECT"],
    settings: showProjects,
  },
  getInvitation: { table: idToken, partitions: ["ACCOUNT", "PROJECT"], settings: showProjects },
  lookUpInvitation: { table: ["dynamodb:BatchGetItem"], partitions: ["ACCOUNT", "PROJECT"], settings: showProjects },
  acceptInvitation: {
    table: [...changeAndDelete, "dynamodb:ConditionCheckItem", "dynamodb:Query"],
    partitions: ["ACCOUNT", "LEDGER", "OUTBOX", "PROJECT"],
    settings: ["accountQuota", ...showProjects],
    pointers: true,
    // Of up to 50 projects, one after the other.
    timeoutSeconds: 29,
  },
  listTeam: { table: [...idTokenOrToken, "dynamodb:Query"], partitions: ofProject },
  // Of up to 100 projects, one after the other.
  leaveTeam: {
    table: [...changeAndDelete, "dynamodb:Query"],
    partitions: ofProject,
    settings: ["issuer"],
    timeoutSeconds: 29,
  },
  deleteInvitation: { table: changeAndDelete, partitions: ["ACCOUNT", "PROJECT"] },
  listProjectTokens: { table: idToken, partitions: ["ACCOUNT", "PROJECT"] },
  updateProjectToken: {
    table: [...idToken, "dynamodb:PutItem", "dynamodb:UpdateItem"],
    partitions: ofProject,
  },
  listProjectEvents: { table: [...idTokenOrToken, "dynamodb:Query"], partitions: ofProject },
  createPublisher: { table: changePublishers, partitions: ofProject, settings: ["jobIssuers"] },
  listPublishers: { table: idTokenOrToken, partitions: ofProject },
  deletePublisher: { table: changePublishers, partitions: ["ACCOUNT", "PROJECT"] },
  createPendingPublisher: { table: [...idToken, "dynamodb:PutItem"], partitions: ofProject, settings: ["jobIssuers"] },
  listPendingPublishers: { table: idTokenOrToken, partitions: ["ACCOUNT", "OUTBOX"] },
  deletePendingPublisher: { table: [...idToken, "dynamodb:PutItem"], partitions: ["ACCOUNT"] },
  createRelease: {
    table: [...changeByToken, "dynamodb:Query"],
    partitions: ["ACCOUNT", "LEDGER", "OUTBOX", "PROJECT"],
    files: ["s3:GetObject", "s3:ListBucket", "s3:PutObject"],
    proofs: ["s3:ListBucket", "s3:PutObject"],
    manifests: ["s3:GetObject", "s3:PutObject"],
    copies: "check",
    settings: ["accountQuota", "gamesDomain", "projectQuota"],
    ...longest,
  },
  createUploads: {
    table: idTokenOrToken,
    partitions: ofProject,
    files: ["s3:PutObject"],
    proofs: ["s3:PutObject"],
    manifests: ["s3:GetObject"],
    ...wholeProcessor,
  },
  unpackFiles: {
    table: idTokenOrToken,
    partitions: ofProject,
    files: ["s3:ListBucket", "s3:PutObject"],
    proofs: ["s3:ListBucket", "s3:PutObject"],
    manifests: ["s3:GetObject"],
    copies: "find",
    packs: true,
    ...longest,
  },
  continueUpload: {
    table: idTokenOrToken,
    partitions: ofProject,
    files: [
      "s3:AbortMultipartUpload",
      "s3:GetObject",
      "s3:ListBucket",
      "s3:ListBucketMultipartUploads",
      "s3:ListMultipartUploadParts",
      "s3:PutObject",
    ],
    proofs: ["s3:AbortMultipartUpload", "s3:GetObject", "s3:ListBucket", "s3:ListMultipartUploadParts", "s3:PutObject"],
    manifests: ["s3:GetObject"],
    ...longest,
  },
  publishRelease: {
    ...beginPlaying,
    table: [...changeByToken, "dynamodb:DeleteItem", "dynamodb:Query"] as const,
    settings: [...beginPlaying.settings, "dashboardOrigin"],
  },
  scheduleRelease: { ...ofSchedule, table: [...changeByToken, "dynamodb:DeleteItem"] as const },
  cancelSchedule: {
    table: [...changeByToken, "dynamodb:DeleteItem"],
    partitions: [...ofProject, "SCHEDULE"],
    copies: "read",
    settings: ["gamesDomain"],
  },
  updateRelease: { table: changeByToken, ...showReleases },
  withdrawRelease: {
    table: [...changeAndDelete, "dynamodb:ConditionCheckItem", "dynamodb:Query"],
    partitions: ["ACCOUNT", "OUTBOX", "PROJECT", "SWEEP"],
    copies: "read",
    settings: ["gamesDomain"],
    pointers: true,
  },
  openPreview: { table: changeByToken, ...beginPlaying },
  endPreview: { table: changeByToken, partitions: ofProject, pointers: true },
  updatePreview: { table: changeByToken, ...showReleases, pointers: true },
  deletePreview: { table: changeByToken, partitions: ofProject, pointers: true },
  listPreviews: { table: idTokenOrToken, ...showReleases },
  listReleases: { table: [...idTokenOrToken, "dynamodb:Query"] as const, ...showReleases },
  getRelease: { table: idTokenOrToken, ...showReleases },
  compareRelease: {
    table: [...idTokenOrToken, "dynamodb:Query"],
    partitions: ofProject,
    manifests: ["s3:GetObject"],
    copies: "read",
  },
  listFiles: {
    table: idTokenOrToken,
    partitions: ofProject,
    files: ["s3:GetObject"],
    manifests: ["s3:GetObject"],
  },
  getFile: {
    table: ["dynamodb:BatchGetItem"],
    partitions: ["PROJECT"],
    files: ["s3:GetObject"],
    manifests: ["s3:GetObject"],
    settings: ["gamesEdgeDomain"],
  },
};
