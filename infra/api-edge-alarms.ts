import { Duration } from "aws-cdk-lib";
import type { Distribution } from "aws-cdk-lib/aws-cloudfront";
import { MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { type AlarmDefinition, cloudFrontMetric, period } from "./alarm-definition.ts";
import type { StageWithApiEdge } from "./stage.ts";

/** The alarms of the distribution before the API. */
export function apiEdgeAlarms(distribution: Distribution, { name, apiEdge }: StageWithApiEdge): AlarmDefinition[] {
  const { distributionId: DistributionId } = distribution;
  const rate = cloudFrontMetric("5xxErrorRate", { DistributionId }, Stats.AVERAGE);
  const requests = cloudFrontMetric("Requests", { DistributionId });
  return [
    {
      name: "ApiEdgeFailing",
      metric: new MathExpression({
        // At least five failures, because a single one among few requests is no outage.
        expression: "IF(rate * requests >= 500, rate, 0)",
        usingMetrics: { rate, requests },
        period,
        label: "5xx, % of requests",
      }),
      threshold: 1,
      description: "At least one request in a hundred to the API's distribution got 5xx.",
    },
    {
      name: "ApiEdgeRefusing",
      metric: new Metric({
        namespace: "AWS/WAFV2",
        metricName: "BlockedRequests",
        // Those of an ACL for CloudFront have no region.
        dimensionsMap: { WebACL: `svc-${name}-api`, Rule: "ALL" },
        statistic: Stats.SUM,
        period,
      }),
      threshold: 1_000,
      description: "AWS WAF refused 1,000 requests or more of addresses that send too many.",
    },
    {
      name: "ApiEdgeCertificateEnding",
      metric: new MathExpression({
        expression: "IF(days <= 30, 1, 0)",
        usingMetrics: { days: daysToExpiry(apiEdge.clientCertificateArn) },
        period: Duration.days(1),
        label: "ends within 30 days",
      }),
      description: "CloudFront's client certificate ends within 30 days; then API Gateway refuses every request.",
    },
  ];
}

/** Certificate Manager tells it twice a day. */
function daysToExpiry(certificateArn: string): Metric {
  return new Metric({
    namespace: "AWS/CertificateManager",
    metricName: "DaysToExpiry",
    dimensionsMap: { CertificateArn: certificateArn },
    statistic: Stats.MINIMUM,
    period: Duration.days(1),
  });
}
