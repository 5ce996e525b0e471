import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type CfnElement, Duration, Fn, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { CompositePrincipal, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Architecture, Code, Function as LambdaFunction, Runtime, Version } from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { IConstruct } from "constructs";
import { onPointers } from "../../functions/access.ts";
import { edgeRegion } from "../hosts/domains.ts";
import { onlyPartitions } from "../lambda/function-settings.ts";
import type { Stage } from "../settings/stage.ts";
import { addOutput } from "../stacks/output.ts";
import { EdgeStack } from "../stacks/sibling-stack.ts";
import { originLog, originLogName } from "./games-names.ts";

/** A manifest of 20,000 files has 3 MB; more memory is a faster processor too. */
const settings = { memorySize: 512, timeoutSeconds: 10, runtime: Runtime.NODEJS_24_X.name, log: originLog };

interface GamesOriginProps {
  readonly stage: Stage;
  /** The folder that has the bundled `index.mjs`. */
  readonly code: string;
  readonly bucket: IConstruct;
  readonly table: IConstruct;
}

/** Eight hexadecimal digits of code and settings. */
function digestOf(code: string): string {
  const hash = createHash("sha256")
    .update(JSON.stringify(settings))
    .update(readFileSync(join(code, "index.mjs")));
  return hash.digest("hex").slice(0, 8);
}

const output = "GamesOrigin";

/** The longest names of buckets and tables. */
const maxLengths = { bucket: 63, table: 255 };

/**
 * A pattern for the name that CloudFormation gives to a resource of a stack that is deployed later. Of a name that it may cut, which it does with
 * stack and resource, it has the first characters.
 */
function namePattern(of: IConstruct, maxLength: number): string {
  const resource = of.node.defaultChild as CfnElement;
  const stack = Stack.of(resource);
  const id = stack.getLogicalId(resource);
  const withoutDigest = `${stack.stackName}-${id.slice(0, -8)}`;
  // CloudFormation adds 14 characters.
  const isCut = `${stack.stackName}-${id}`.length + 14 > maxLength;
  return `${isCut ? withoutDigest.slice(0, 20) : withoutDigest}*`;
}

/**
 * Lambda@Edge of a stage's games, in us-east-1 whatever the stage's region: deployed before the stage's own stack. No
 * environment variables, no tracing, no arm64 ("Restrictions on Lambda@Edge",
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/lambda-at-edge-function-restrictions.html). Each
 * code has a stack of its own, which stays when the stage gets another one: if an update of the stage is undone, CloudFormation may read the
 * output that the former template names once more. The function stays when its stack is deleted, because CloudFront removes its replicas only
 * hours later, so it has no name of its own, which would keep the stack from being made again.
 */
export class GamesOriginStack extends EdgeStack {
  /**
   * The ARN of the version that the games' distribution runs, which CloudFormation reads when it creates or updates the service
   * (https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-getstackoutput.html).
   */
  readonly versionArn: string;

  constructor(service: Stack, { stage, code, ...parts }: GamesOriginProps) {
    super(service, `games-${digestOf(code)}`, `Lambda@Edge of the games of ${stage.name}`);
    const lambda = new LambdaFunction(this, "Origin", {
      description: `Finds files of games in their releases: ${stage.name}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.X86_64,
      code: Code.fromAsset(code, { exclude: ["*.map"] }),
      handler: "index.handler",
      memorySize: settings.memorySize,
      timeout: Duration.seconds(settings.timeoutSeconds),
      role: this.role(stage, parts),
      // The CDK would make one in us-east-1, which nothing writes to.
      logGroup: LogGroup.fromLogGroupName(this, "Log", originLogName(stage)),
    });
    lambda.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    const version = new Version(this, "Version", {
      lambda,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    addOutput(this, output, version.functionArn, "The version that the games' distribution runs");
    this.versionArn = Fn.getStackOutput(this.stackName, output, edgeRegion);
  }

  /** Reads manifests, files, what is known of copies, and projects, and writes its log in whichever region it runs. */
  private role(
    { name, account, region, restoredTable }: Stage,
    parts: Pick<GamesOriginProps, "bucket" | "table">,
  ): Role {
    const role = new Role(this, "Role", {
      assumedBy: new CompositePrincipal(
        new ServicePrincipal("lambda.amazonaws.com"),
        new ServicePrincipal("edgelambda.amazonaws.com"),
      ),
    });
    const bucket = `arn:aws:s3:::${namePattern(parts.bucket, maxLengths.bucket).toLowerCase()}`;
    const owned = { "aws:ResourceAccount": account };
    const logs = `arn:aws:logs:*:${account}:log-group:${originLogName({ name })}*`;
    const allow = (actions: readonly string[], resource: string, conditions: object = {}) =>
      role.addToPolicy(
        new PolicyStatement({ actions: [...actions], resources: [resource], conditions: { ...conditions } }),
      );
    // Of files it reads where pages have a card and how large a picture is.
    const objects = [`${bucket}/projects/*/manifests/*`, `${bucket}/projects/*/files/*`, `${bucket}/facts/*`];
    for (const each of objects) allow(["s3:GetObject"], each, { StringEquals: owned });
    // Games of which the key-value store has no pointer: it reads their projects, and asks for a place in the store. The public page of a game
    // has what its releases say is new, and its author's name.
    const table = `arn:aws:dynamodb:${region}:${account}:table/${restoredTable ?? namePattern(parts.table, maxLengths.table)}`;
    allow(["dynamodb:BatchGetItem", "dynamodb:Query"], table, onlyPartitions("AUTHOR", "PROJECT"));
    allow(onPointers.withChange, table, onlyPartitions(onPointers.partition));
    allow(["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"], logs);
    const reason = "The names of bucket and table and the regions of the logs are not known here; all name the stage.";
    const resources = [...objects, table, logs];
    Validations.of(role).acknowledge(
      ...resources.map((resource) => ({ id: `AwsSolutions-IAM5[Resource::${resource}]`, reason })),
    );
    return role;
  }
}
