import { type CfnElement, Duration, Stack, Validations } from "aws-cdk-lib";
import type { ITableV2 } from "aws-cdk-lib/aws-dynamodb";
import { type Conditions, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { kebabCase, type RouteName, routes } from "../contract/api/routes.ts";
import { type Access, access, onPointers } from "../functions/access.ts";
import { fileKey, filesPrefix, manifestKey } from "../functions/files/object-keys.ts";
import { environmentOf, settingsOf } from "./function-environment.ts";
import { acknowledgeTraces, functionSettings } from "./function-settings.ts";
import type { Stage } from "./stage.ts";
import { reservedConcurrencyOf } from "./throttling.ts";

/**
 * What most functions get. 1,024 MB is 0.58 of a processor: enough for TLS and a signature in a few milliseconds, and
 * below the size where a short request costs more than the call itself. All four attempts of a DynamoDB command, 3 s each,
 * end within 15 s, so that the caller gets the function's own 503 rather than API Gateway's.
 */
const usual = { memoryMebibytes: 1_024, timeoutSeconds: 15 };

export interface RouteFunctionProps {
  readonly stage: Stage;
  readonly route: RouteName;
  /** The folder that has the bundled `index.mjs`. */
  readonly code: string;
  readonly table: ITableV2;
  readonly bucket: Bucket;
  readonly logGroup: ILogGroup;
  /** The key-value stores of the games' edges; none: the stage has no games domain. */
  readonly gamesStoreArn: string | undefined;
  /** The keys of attestations, of which the last one signs. */
  readonly attestationKeyArns: readonly string[];
}

/** The function of one route with its own role, which may do what functions/access.ts declares and write its log. */
export class RouteFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly route: RouteName;
  readonly timeoutSeconds: number;
  readonly memoryGigabytes: number;

  constructor(scope: Construct, id: string, props: RouteFunctionProps) {
    super(scope, id);
    const { stage, route, code, logGroup } = props;
    const { memoryMebibytes, timeoutSeconds }: Access & typeof usual = { ...usual, ...access[route] };
    const reserved = reservedConcurrencyOf(route, stage);
    this.route = route;
    this.timeoutSeconds = timeoutSeconds;
    this.memoryGigabytes = memoryMebibytes / 1_024;
    this.lambda = new LambdaFunction(this, "Function", {
      ...functionSettings(this, stage, { code, logGroup }),
      functionName: `svc-${stage.name}-${kebabCase(route)}`,
      description: `${routes[route].method} ${routes[route].path}: ${routes[route].summary}`,
      memorySize: memoryMebibytes,
      timeout: Duration.seconds(timeoutSeconds),
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      environment: environmentOf(stage, settingsOf(route)),
    });
    this.allow(["logs:CreateLogStream", "logs:PutLogEvents"], [logGroup.logGroupArn]);
    this.connect(access[route], props);
    acknowledgeTraces(this);
  }

  /** Gives the function each part that its route uses: the name in the environment, and the permission. */
  private connect(
    { table: onTable = [], partitions = [], files, manifests, pointers, attestationKeys }: Access,
    { table, bucket, gamesStoreArn, attestationKeyArns }: RouteFunctionProps,
  ): void {
    const storeArn = pointers ? gamesStoreArn : undefined;
    const hasEdge = storeArn !== undefined;
    if (onTable.length > 0) {
      this.lambda.addEnvironment("TABLE_NAME", table.tableName);
      const actions = new Set([...onTable, ...(hasEdge ? onPointers.withChange : [])]);
      this.allowOnTable(table, [...actions], [...partitions, ...(hasEdge ? [onPointers.partition] : [])]);
    }
    if (hasEdge) {
      this.lambda.addEnvironment("GAMES_STORE_ARN", storeArn);
      this.allowOnTable(table, [...onPointers.afterChange, ...onPointers.count], [onPointers.partition]);
      this.allow(onPointers.store, [storeArn]);
    }
    if (attestationKeys !== undefined) {
      this.lambda.addEnvironment("ATTESTATION_KEY_ARNS", attestationKeyArns.join(","));
      this.allow([attestationKeys], attestationKeyArns.slice(attestationKeys === "kms:Sign" ? -1 : 0));
    }
    if (files === undefined && manifests === undefined) return;
    this.lambda.addEnvironment("BUCKET_NAME", bucket.bucketName);
    this.allowOnObjects(bucket, manifestKey("*", "*"), manifests);
    this.allowOnObjects(
      bucket,
      fileKey("*", "*"),
      files?.filter((action) => !action.startsWith("s3:ListBucket")),
    );
    if (files?.includes("s3:ListBucketMultipartUploads"))
      this.allow(["s3:ListBucketMultipartUploads"], [bucket.bucketArn]);
    if (files?.includes("s3:ListBucket"))
      this.allow(["s3:ListBucket"], [bucket.bucketArn], { StringLike: { "s3:prefix": filesPrefix("*") } });
  }

  private allowOnTable(table: ITableV2, actions: readonly string[], partitions: readonly string[]): void {
    const keys = partitions.map((partition) => `${partition}#*`);
    this.allow(actions, [table.tableArn], { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": keys } });
  }

  /** @param keys the keys of one kind of object in all projects */
  private allowOnObjects(bucket: Bucket, keys: string, actions: readonly string[] = []): void {
    if (actions.length === 0) return;
    this.allow(actions, [bucket.arnForObjects(keys)]);
    Validations.of(this).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${logicalIdOf(bucket)}.Arn>/${keys}]`,
      reason:
        "Whose project a request is about is known to the function, which has checked its caller, and to no policy.",
    });
  }

  private allow(actions: readonly string[], resources: string[], conditions: Conditions = {}): void {
    this.lambda.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources, conditions }));
  }
}

function logicalIdOf(bucket: Bucket): string {
  return Stack.of(bucket).getLogicalId(bucket.node.defaultChild as CfnElement);
}
