import type { DeployedStage } from "../../../infra/deployment/deployed-stage.ts";
import type { StageCheck } from "../../../infra/smoke/stage-check.ts";
import { logBucketOutput, logPrefix } from "./log-names.ts";

/** The facts about the games' access log; those of a stage without one hold. */
export const logChecks: readonly StageCheck[] = [
  {
    fact: "the games' access log has files of a day with 1,000 requests",
    advice: "CloudWatch Logs in us-east-1, log delivery: is there one of the games' distribution to this bucket?",
    find: logArrives,
  },
];

/** Checks the log of the last day that ended twelve hours ago, by which CloudFront has delivered its rows. */
async function logArrives({ games, aws, output }: DeployedStage): Promise<string | undefined> {
  const bucket = output(logBucketOutput)?.replace(/^arn:aws:s3:::/, "");
  if (games === undefined || bucket === undefined) return undefined;
  const day = new Date(Date.now() - 36 * 3_600_000).toISOString().slice(0, 10);
  const { Datapoints = [] } = await games.awsAtEdge(
    ...["cloudwatch", "get-metric-statistics", "--namespace", "AWS/CloudFront", "--metric-name", "Requests"],
    ...["--dimensions", `Name=DistributionId,Value=${games.distributionId}`, "Name=Region,Value=Global"],
    ...["--statistics", "Sum", "--period", "86400"],
    ...["--start-time", `${day}T00:00:00Z`, "--end-time", new Date(Date.parse(day) + 86_400_000).toISOString()],
  );
  const requests = Datapoints[0]?.Sum ?? 0;
  if (requests < 1_000) return undefined;
  const prefix = `${logPrefix}/${day.replaceAll("-", "/")}/`;
  const listed = ["--bucket", bucket, "--prefix", prefix, "--max-items", "1"];
  const { Contents = [] } = await aws("s3api", "list-objects-v2", ...listed);
  return Contents.length > 0 ? undefined : `${bucket} has no file in ${prefix}, of ${requests} requests`;
}
