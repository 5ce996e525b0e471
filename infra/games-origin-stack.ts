import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CfnOutput, Duration, PermissionsBoundary, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { CompositePrincipal, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Architecture, Code, Function as LambdaFunction, Runtime, Version } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { onPointers } from "../functions/access.ts";
import { edgeRegion } from "./domains.ts";
import type { Stage } from "./stage.ts";

/** A manifest of 20,000 files has 3 MB; more memory is a faster processor too. */
const settings = { memorySize: 512, timeoutSeconds: 10, runtime: Runtime.NODEJS_24_X.name };

interface GamesOriginProps {
  readonly stage: Pick<Stage, "name" | "account">;
  /** The folder that has the bundled `index.mjs`. */
  readonly code: string;
}

/**
 * The name of the function between CloudFront's cache and the bucket. It has a digest of the code and settings, so each is a
 * function of its own with one version, whose ARN another stack can know without asking.
 */
function functionName({ stage, code }: GamesOriginProps): string {
  const hash = createHash("sha256")
    .update(JSON.stringify(settings))
    .update(readFileSync(join(code, "index.mjs")));
  return `svc-${stage.name}-games-origin-${hash.digest("hex").slice(0, 8)}`;
}

/** The version of the function that the games' distribution runs: the first, and the only one. */
export function originVersionArn(props: GamesOriginProps): string {
  return `arn:aws:lambda:${edgeRegion}:${props.stage.account}:function:${functionName(props)}:1`;
}

/**
 * Lambda@Edge of a stage's games, in us-east-1 whatever the stage's region: deployed before the stage's own stack. No
 * environment variables, no tracing, no arm64 ("Restrictions on Lambda@Edge",
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/lambda-at-edge-function-restrictions.html). A function
 * that is replaced or deleted here stays, because CloudFront removes its replicas only hours later.
 */
export class GamesOriginStack extends Stack {
  constructor(scope: Construct, { stage, code }: { readonly stage: Stage; readonly code: string }) {
    super(scope, `svc-${stage.name}-games`, {
      env: { account: stage.account, region: edgeRegion },
      description: `svc, the publishing service: Lambda@Edge of the games of ${stage.name}`,
      permissionsBoundary: PermissionsBoundary.fromName("svc-boundary"),
    });
    const name = functionName({ stage, code });
    const lambda = new LambdaFunction(this, `Origin${name.slice(-8)}`, {
      functionName: name,
      description: `Finds files of games in their releases: ${stage.name}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.X86_64,
      code: Code.fromAsset(code, { exclude: ["*.map"] }),
      handler: "index.handler",
      memorySize: settings.memorySize,
      timeout: Duration.seconds(settings.timeoutSeconds),
      role: this.role(stage),
    });
    lambda.applyRemovalPolicy(RemovalPolicy.RETAIN);
    new Version(this, `Version${name.slice(-8)}`, { lambda, removalPolicy: RemovalPolicy.RETAIN });
    new CfnOutput(this, "GamesOrigin", { value: name, description: "The function that the games' distribution runs" });
  }

  /** Reads manifests and projects, and writes its log in whichever region it runs. */
  private role({ name, account, region, restoredTable }: Stage): Role {
    const role = new Role(this, "Role", {
      assumedBy: new CompositePrincipal(
        new ServicePrincipal("lambda.amazonaws.com"),
        new ServicePrincipal("edgelambda.amazonaws.com"),
      ),
    });
    // The bucket is of a stack that is deployed later, and CloudFormation names it after that stack.
    const bucket = `arn:aws:s3:::svc-${name}-files*`;
    const owned = { "aws:ResourceAccount": account };
    const logs = `arn:aws:logs:*:${account}:log-group:/aws/lambda/${edgeRegion}.svc-${name}-games-origin-*`;
    const allow = (actions: readonly string[], resource: string, conditions: object = {}) =>
      role.addToPolicy(
        new PolicyStatement({ actions: [...actions], resources: [resource], conditions: { ...conditions } }),
      );
    allow(["s3:GetObject"], `${bucket}/projects/*/manifests/*`, { StringEquals: owned });
    // Games of which the key-value store has no pointer: it reads their projects, and asks for a place in the store.
    const table = `arn:aws:dynamodb:${region}:${account}:table/${restoredTable ?? `svc-${name}-Table*`}`;
    const leading = (partition: string) => ({
      "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [`${partition}#*`] },
    });
    allow(["dynamodb:BatchGetItem"], table, leading("PROJECT"));
    allow(onPointers.withChange, table, leading(onPointers.partition));
    // Without it S3 responds with 403 instead of 404 for a manifest that is not there.
    allow(["s3:ListBucket"], bucket, { StringEquals: owned, StringLike: { "s3:prefix": "projects/*/manifests/*" } });
    allow(["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"], logs);
    const reason = "The names of bucket and table and the regions of the logs are not known here; all name the stage.";
    const resources = [`${bucket}/projects/*/manifests/*`, bucket, table, logs];
    Validations.of(role).acknowledge(
      ...resources.map((resource) => ({ id: `AwsSolutions-IAM5[Resource::${resource}]`, reason })),
    );
    return role;
  }
}
