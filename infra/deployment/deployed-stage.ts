import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { S3Client } from "@aws-sdk/client-s3";
import { schedulesOf } from "../background/schedules.ts";
import { distributionOutput } from "../games/games-names.ts";
import { edgeRegion } from "../hosts/domains.ts";
import { configuredStages } from "../settings/configured-stages.ts";
import { dashboardOf, dashboardOriginOf, dashboardOutput, readStage } from "../settings/stage.ts";

// biome-ignore lint/suspicious/noExplicitAny: what the AWS command line and the API print, checked where it is read
export type Json = any;

/** Runs `aws` with these arguments and returns what it prints. */
export type Aws = (...args: readonly string[]) => Promise<Json>;

/** Where a stack is. */
export interface StackPlace {
  readonly name: string;
  readonly region: string;
  /** The AWS command line of that region. */
  readonly aws: Aws;
}

/** Something that a stack has made, by its name in its service. */
export interface MadeResource {
  readonly type: string;
  readonly name: string;
}

/** The distribution that counts the requests of players. */
interface DeployedGames {
  readonly distributionId: string;
  /** The AWS command line for us-east-1, where CloudFront's metrics are. */
  readonly awsAtEdge: Aws;
}

export interface DeployedStage {
  readonly name: string;
  readonly account: string;
  /** The regions in which it has stacks. */
  readonly regions: readonly string[];
  /** The scheduled functions that it has. */
  readonly schedules: readonly string[];
  readonly api: string;
  readonly bucket: string;
  /** The dashboard's origin, if the stage has one. */
  readonly dashboard?: string | undefined;
  /** ID token of a test person, who becomes a developer of the stage. */
  readonly idToken: string;
  readonly aws: Aws;
  /** A stage without a games domain has none. */
  readonly games?: DeployedGames | undefined;
  /** An output of the stage's stack. */
  readonly output: (name: string) => string | undefined;
  readonly s3: S3Client;
  /** Wait for an effect, or until a presigned DELETE is too old: more than the bucket's 60 seconds. */
  readonly waitMilliseconds: number;
}

/** The AWS command line, which docs/operations use too. */
export function awsCommand(region: string): Aws {
  return async (...args) => {
    const options = ["--region", region, "--output", "json"];
    // A stage's template has 700 kB.
    const { stdout } = await promisify(execFile)("aws", [...args, ...options], { maxBuffer: 32 * 1024 ** 2 });
    return stdout.trim() === "" ? {} : JSON.parse(stdout);
  };
}

/** The credentials of the AWS command line, also those of its profile or its sign-in, as the environment names them. */
export async function exportedCredentials(aws: Aws): Promise<Readonly<Record<string, string>>> {
  const { AccessKeyId, SecretAccessKey, SessionToken = "" } = await aws("configure", "export-credentials");
  return { AWS_ACCESS_KEY_ID: AccessKeyId, AWS_SECRET_ACCESS_KEY: SecretAccessKey, AWS_SESSION_TOKEN: SessionToken };
}

/** The stage as it is deployed, or a sentence that says what is missing. */
export async function findStage(
  name: string | undefined,
  { ID_TOKEN }: NodeJS.ProcessEnv,
  {
    known = configuredStages().stages,
    command = awsCommand,
  }: { known?: Readonly<Record<string, unknown>>; command?: typeof awsCommand } = {},
): Promise<DeployedStage | string> {
  const stage = readStage(name, known);
  if (stage.disposable !== true)
    return `The stage ${stage.name} is not disposable, and this would leave an account, a token and an alarm's message there.`;
  if (!ID_TOKEN) return "Put an ID token of a test person of the stage's identity provider into ID_TOKEN.";
  const aws = command(stage.region);
  const { Stacks } = await aws("cloudformation", "describe-stacks", "--stack-name", `svc-${stage.name}`);
  const output = (name: string) => Stacks[0].Outputs.find(({ OutputKey }: Json) => OutputKey === name)?.OutputValue;
  const { StackResourceSummaries: resources } = await aws(
    ...["cloudformation", "list-stack-resources", "--stack-name", `svc-${stage.name}`],
  );
  const bucket = resources.find(({ LogicalResourceId: id }: Json) => /^Files[0-9A-F]{8}$/.test(id));
  const hasEdge = stage.gamesDomain ?? dashboardOf(stage)?.domain ?? stage.healthChecks;
  return {
    name: stage.name,
    account: stage.account,
    regions: [...new Set([stage.region, ...(hasEdge ? [edgeRegion] : [])])],
    schedules: schedulesOf(stage),
    api: output("ApiAddress").replace(/\/$/, ""),
    bucket: bucket.PhysicalResourceId,
    dashboard: dashboardOriginOf(stage) ?? output(dashboardOutput),
    idToken: ID_TOKEN,
    aws,
    games: stage.gamesDomain && {
      distributionId: output(distributionOutput),
      awsAtEdge: command(edgeRegion),
    },
    output,
    s3: new S3Client({ region: stage.region }),
    waitMilliseconds: 65_000,
  };
}
