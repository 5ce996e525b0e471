type TableAction =
  | "dynamodb:BatchGetItem"
  | "dynamodb:BatchWriteItem"
  | "dynamodb:ConditionCheckItem"
  | "dynamodb:DeleteItem"
  | "dynamodb:PutItem"
  | "dynamodb:Query"
  | "dynamodb:UpdateItem";

type ObjectAction = "s3:AbortMultipartUpload" | "s3:GetObject" | "s3:ListMultipartUploadParts" | "s3:PutObject";

/** Actions on the whole bucket. S3 restricts the first to prefixes, and not the second. */
type BucketAction = "s3:ListBucket" | "s3:ListBucketMultipartUploads";

/**
 * Settings of its stage that a function is told, beside the names of table and bucket and, if it authenticates, the provider
 * and the API's origin.
 */
export type Setting =
  | "accountQuota"
  | "apiOrigin"
  | "commandLine"
  | "dashboardOrigin"
  | "developers"
  | "gamesDomain"
  | "gamesEdgeDomain"
  | "issuer"
  | "jobIssuers"
  | "maxTokenDays"
  | "projectQuota"
  | "reportUrl";

/** The items whose partition keys begin with it: docs/architecture.md, "The table". */
type Partition =
  | "ACCOUNT"
  | "AUTHOR"
  | "CODE"
  | "DEVICE"
  | "JTI"
  | "LEDGER"
  | "OUTBOX"
  | "PROJECT"
  | "SCHEDULE"
  | "SWEEP";

interface OnTable<OwnPartition extends string> {
  readonly table: readonly TableAction[];
  /** The only ones that these actions may touch, in one list for all: a transaction or a batch goes to several at once. */
  readonly partitions: readonly (Partition | OwnPartition)[];
}

/** Access of a route's function. An option has partitions and settings of its own. */
export type Access<OwnPartition extends string = never, OwnSetting extends string = never> = (
  | OnTable<OwnPartition>
  | { readonly [name in keyof OnTable<never>]?: never }
) &
  OtherAccess<OwnSetting>;

interface OtherAccess<OwnSetting extends string> {
  /** The files of all projects: what the function does, and what the URLs that it signs allow. */
  readonly files?: readonly (ObjectAction | BucketAction)[];
  /** What those that may only open previews have sent, of all projects, in the same way. */
  readonly proofs?: readonly (ObjectAction | "s3:ListBucket")[];
  /** The manifests of all releases. */
  readonly manifests?: readonly ObjectAction[];
  /** What the service found out about copies: whether it reads that, asks for checks as well, or finds something out itself. */
  readonly copies?: "read" | "check" | "find";
  /** Set: packs of small files, which it unpacks and deletes; the URLs that it signs write them. */
  readonly packs?: true;
  /** Objects of the option that are needed for a day at most (`passingKey`): what the function does, and what the URLs that it signs allow. */
  readonly passing?: { readonly option: string; readonly actions: readonly ("s3:GetObject" | "s3:PutObject")[] };
  readonly settings?: readonly (Setting | OwnSetting)[];
  /** Set: it changes what players get of a project, and brings it to the games' edge if the stage has one. */
  readonly pointers?: true;
  /** 1,024 when left out. */
  readonly memoryMebibytes?: number;
  /** 15 when left out. API Gateway gives up after 30. */
  readonly timeoutSeconds?: number;
}
