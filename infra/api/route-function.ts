import { Duration } from "aws-cdk-lib";
import { type Conditions, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import { Construct, type IConstruct } from "constructs";
import { kebabCase, type RouteName, routes } from "../../contract/api/routes.ts";
import { onPointers } from "../../functions/access.ts";
import {
  checkKey,
  factsKey,
  fileKey,
  filesPrefix,
  foundKey,
  manifestKey,
  packsPrefix,
  passingKey,
  proofKey,
  proofsPrefix,
} from "../../functions/files/object-keys.ts";
import type { Access } from "../../functions/permissions.ts";
import { environmentOf, settingsOf } from "../lambda/function-environment.ts";
import type { FunctionRoles } from "../lambda/function-roles.ts";
import {
  acknowledgeTraces,
  type FunctionParts,
  functionSettings,
  onlyPartitions,
} from "../lambda/function-settings.ts";
import { accessOf } from "../settings/stage-option.ts";
import { acknowledgeObjects } from "../storage/bucket.ts";
import { reservedConcurrencyOf } from "./throttling.ts";

/**
 * Settings of most functions. 1,024 MB is 0.58 of a processor: enough for TLS and a signature in a few milliseconds, and
 * below the size where a short request costs more than the call itself. All four attempts of a DynamoDB command, 3 s each,
 * end within 15 s, so that the caller gets the function's own 503 rather than API Gateway's.
 */
const usual = { memoryMebibytes: 1_024, timeoutSeconds: 15 };

export interface RouteFunctionProps extends FunctionParts {
  readonly route: RouteName;
  readonly bucket: Bucket;
  readonly roles: FunctionRoles;
  /** The key-value stores of the games' edges; none: the stage has no games domain. */
  readonly gamesStoreArn: string | undefined;
}

/** The function of one route, whose role may do what its access declares and write the function's log. */
export class RouteFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly route: RouteName;
  readonly timeoutSeconds: number;
  /** Whether its requests may take longer than those of most routes. */
  readonly mayTakeLonger: boolean;
  readonly memoryGigabytes: number;

  constructor(scope: Construct, id: string, props: RouteFunctionProps) {
    super(scope, id);
    const { stage, route, roles } = props;
    const { memoryMebibytes, timeoutSeconds } = { ...usual, ...accessOf(route) };
    const reserved = reservedConcurrencyOf(route, stage);
    this.route = route;
    this.timeoutSeconds = timeoutSeconds;
    this.mayTakeLonger = timeoutSeconds > usual.timeoutSeconds;
    this.memoryGigabytes = memoryMebibytes / 1_024;
    const { environment, permissions } = partsOf(accessOf(route), props);
    this.lambda = new LambdaFunction(this, "Function", {
      ...functionSettings(props, roles.roleFor(route, permissions)),
      functionName: `svc-${stage.name}-${kebabCase(route)}`,
      description: `${routes[route].method} ${routes[route].path}: ${routes[route].summary}`,
      memorySize: memoryMebibytes,
      timeout: Duration.seconds(timeoutSeconds),
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      environment: { ...environmentOf(stage, settingsOf(route)), ...environment },
    });
  }
}

/** Environment variable and permission for each part of the stage that a route, or a job, uses. */
export function partsOf(
  {
    table: onTable = [],
    partitions = [],
    files,
    proofs = [],
    manifests,
    copies,
    packs,
    passing,
    pointers,
  }: Access<string, string>,
  { table, bucket, gamesStoreArn, logGroup }: Omit<RouteFunctionProps, "route" | "code" | "roles" | "stage">,
): { readonly environment: Record<string, string>; readonly permissions: readonly PolicyStatement[] } {
  const storeArn = pointers ? gamesStoreArn : undefined;
  const hasEdge = storeArn !== undefined;
  const environment: Record<string, string> = {};
  const permissions: PolicyStatement[] = [];
  // In order, so that the same permissions are the same text.
  const allow = (actions: readonly string[], resources: string[], conditions: Conditions = {}) => {
    if (actions.length > 0)
      permissions.push(new PolicyStatement({ actions: actions.toSorted(), resources, conditions }));
  };
  const allowOnTable = (actions: readonly string[], names: readonly string[]) =>
    allow(actions, [table.tableArn], onlyPartitions(...names.toSorted()));
  allow(["logs:CreateLogStream", "logs:PutLogEvents"], [logGroup.logGroupArn]);
  if (onTable.length > 0) {
    environment["TABLE_NAME"] = table.tableName;
    const actions = new Set([...onTable, ...(hasEdge ? onPointers.withChange : [])]);
    allowOnTable([...actions], [...partitions, ...(hasEdge ? [onPointers.partition] : [])]);
  }
  if (hasEdge) {
    environment["GAMES_STORE_ARN"] = storeArn;
    environment["DIRECT_POINTER_WRITES_PER_MINUTE"] = String(directPointerWritesPerMinute);
    allowOnTable([...onPointers.afterChange, ...onPointers.count], [onPointers.partition]);
    allow(onPointers.store, [storeArn]);
  }
  if (files ?? manifests ?? copies ?? passing) environment["BUCKET_NAME"] = bucket.bucketName;
  allow(manifests ?? [], [bucket.arnForObjects(objectKeys.manifests)]);
  allow(copies === "check" ? ["s3:PutObject"] : [], [bucket.arnForObjects(objectKeys.checks)]);
  allow(copies === "find" ? ["s3:PutObject"] : [], [bucket.arnForObjects(objectKeys.found)]);
  const readsFacts = copies === "read" || copies === "check";
  allow(readsFacts ? ["s3:GetObject"] : [], [bucket.arnForObjects(objectKeys.facts)]);
  const onPacks = packs ? ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"] : [];
  allow(onPacks, [bucket.arnForObjects(objectKeys.packs)]);
  if (passing) allow(passing.actions, [bucket.arnForObjects(passingKey(passing.option, "*", "*"))]);
  const listing = files?.filter((action) => action.startsWith("s3:ListBucket")) ?? [];
  allow(files?.filter((action) => !listing.includes(action)) ?? [], [bucket.arnForObjects(objectKeys.files)]);
  if (listing.includes("s3:ListBucketMultipartUploads")) allow(["s3:ListBucketMultipartUploads"], [bucket.bucketArn]);
  if (listing.includes("s3:ListBucket"))
    allow(["s3:ListBucket"], [bucket.bucketArn], { StringLike: { "s3:prefix": filesPrefix("*") } });
  allow(
    proofs.filter((action) => action !== "s3:ListBucket"),
    [bucket.arnForObjects(objectKeys.proofs)],
  );
  if (proofs.includes("s3:ListBucket"))
    allow(["s3:ListBucket"], [bucket.bucketArn], { StringLike: { "s3:prefix": proofsPrefix("*") } });
  return { environment, permissions };
}

/**
 * At two calls a change and $1 for 1,000 calls they cost $29 a day at most. What is changed above that waits for write-pointers, one call of
 * which has 48 changes.
 */
const directPointerWritesPerMinute = 10;

/** The keys of each kind of object in all projects. */
const objectKeys = {
  manifests: manifestKey("*", "*"),
  files: fileKey("*", "*"),
  proofs: proofKey("*", "*", "*"),
  checks: checkKey("*", "*", "*"),
  facts: factsKey("*", "*"),
  found: foundKey("*", "*", "*"),
  packs: `${packsPrefix("*")}*/*/*`,
};

/** The keys of what an option keeps for a day. */
function passingKeys(): string[] {
  const options = Object.keys(routes).flatMap((name) => accessOf(name as RouteName).passing?.option ?? []);
  return [...new Set(options)].map((option) => passingKey(option, "*", "*"));
}

/** The reasons for cdk-nag why roles of routes have resources with a `*`. */
export function acknowledgeResources(roles: IConstruct, bucket: Bucket): void {
  acknowledgeTraces(roles);
  const reason =
    "Whose project a request is about is known to the function, which has checked its caller, and to no policy.";
  acknowledgeObjects(roles, bucket, [...Object.values(objectKeys), ...passingKeys()], reason);
}
