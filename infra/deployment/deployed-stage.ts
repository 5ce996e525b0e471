import { S3Client } from "@aws-sdk/client-s3";
import { schedulesOf } from "../background/schedules.ts";
import { distributionOutput } from "../games/games-names.ts";
import { edgeRegion } from "../hosts/domains.ts";
import { configuredStages } from "../settings/configured-stages.ts";
import { dashboardOf, dashboardOriginOf, dashboardOutput, readStage } from "../settings/stage.ts";
import { type Aws, awsCommand, type Json } from "./aws-command.ts";
import { deployedOutputs } from "./stack-outputs.ts";

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
  const outputs = await deployedOutputs({ name: `svc-${stage.name}`, region: stage.region, aws });
  const api = outputs.get("ApiAddress");
  if (api === undefined) return `The stack svc-${stage.name} has no output ApiAddress: deploy it.`;
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
    api: api.replace(/\/$/, ""),
    bucket: bucket.PhysicalResourceId,
    dashboard: dashboardOriginOf(stage) ?? outputs.get(dashboardOutput),
    idToken: ID_TOKEN,
    aws,
    games: stage.gamesDomain && {
      distributionId: outputs.get(distributionOutput) ?? "",
      awsAtEdge: command(edgeRegion),
    },
    output: (name) => outputs.get(name),
    s3: new S3Client({ region: stage.region }),
    waitMilliseconds: 65_000,
  };
}
