import { MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { CfnHealthCheck } from "aws-cdk-lib/aws-route53";
import type { Construct } from "constructs";
import type { Teller } from "../hosts/certificates.ts";
import { edgeRegion } from "../hosts/domains.ts";
import type { Stage } from "../settings/stage.ts";
import { smokeProject } from "../smoke/smoke-games.ts";
import { type AlarmDefinition, period } from "./alarm-definition.ts";

/** The fewest that Route 53 takes: each has several places from which it sends a request every 30 seconds. */
const regions = ["ap-northeast-1", "eu-west-1", "us-east-1"];

/**
 * Checks from outside, by the smoke test's project: DNS, gateway or CloudFront, function, table and store are in each response, and a
 * foreign page at the name has other words. None if another stack has them, or the stage has none.
 */
export function outsideAlarms(scope: Construct, stage: Stage, teller: Teller): AlarmDefinition[] {
  const { healthChecks, domain, gamesDomain, region } = stage;
  // Route 53 writes its metrics in us-east-1.
  if (!healthChecks || domain === undefined || teller !== (region === edgeRegion ? "service" : "alarms")) return [];
  const check = (name: string, host: string, resourcePath: string, searchString: string): AlarmDefinition => ({
    name,
    row: "Unreachable",
    metric: unhealthy(
      new CfnHealthCheck(scope, `${name}Check`, {
        healthCheckConfig: {
          type: "HTTPS_STR_MATCH",
          fullyQualifiedDomainName: host,
          resourcePath,
          searchString,
          enableSni: true,
          failureThreshold: 3,
          requestInterval: 30,
          regions,
        },
        healthCheckTags: [{ key: "Name", value: `svc-${stage.name}-${name}` }],
      }),
    ),
    description: `From outside https://${host}${resourcePath} does not respond as it should.`,
  });
  return [
    check("ApiUnreachable", domain.name, `/projects/${smokeProject}`, `"${smokeProject}"`),
    ...(gamesDomain
      ? [check("GamesUnreachable", `${smokeProject}.${gamesDomain.name}`, "/", "<title>smoke</title>")]
      : []),
  ];
}

/** Route 53 counts a check as failed after three failures in a row at most places, so a minute of it is an outage. */
function unhealthy({ attrHealthCheckId }: CfnHealthCheck): MathExpression {
  const healthy = new Metric({
    namespace: "AWS/Route53",
    metricName: "HealthCheckStatus",
    dimensionsMap: { HealthCheckId: attrHealthCheckId },
    statistic: Stats.MINIMUM,
    period,
  });
  return new MathExpression({ expression: "IF(healthy >= 1, 0, 1)", usingMetrics: { healthy }, period });
}
