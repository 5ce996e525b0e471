import { CloudWatchClient, GetMetricStatisticsCommand } from "@aws-sdk/client-cloudwatch";
import { dayMilliseconds } from "../../../contract/api/limits.ts";
import * as environment from "../../../functions/environment.ts";

/** CloudFront writes its metrics there, whatever the stage's region. */
const metricsRegion = "us-east-1";

let client: CloudWatchClient | undefined;

function cloudWatch(): CloudWatchClient {
  client ??= new CloudWatchClient({
    region: metricsRegion,
    ...environment.cloudWatchEndpoint(),
    maxAttempts: 5,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  });
  return client;
}

/**
 * Requests of players that CloudFront has counted on a day, by its own metric, which does not depend on the access log.
 *
 * @param day in UTC: `2026-11-25`
 * @returns undefined if the function knows no distribution, as in the local service
 */
export async function requestsByCloudFront(day: string): Promise<number | undefined> {
  const distribution = environment.gamesDistributionId();
  if (distribution === undefined) return undefined;
  const start = new Date(day);
  const { Datapoints = [] } = await cloudWatch().send(
    new GetMetricStatisticsCommand({
      Namespace: "AWS/CloudFront",
      MetricName: "Requests",
      Dimensions: [
        { Name: "DistributionId", Value: distribution },
        { Name: "Region", Value: "Global" },
      ],
      Statistics: ["Sum"],
      StartTime: start,
      EndTime: new Date(start.getTime() + dayMilliseconds),
      Period: dayMilliseconds / 1_000,
    }),
  );
  return Datapoints.reduce((sum, { Sum = 0 }) => sum + Sum, 0);
}
