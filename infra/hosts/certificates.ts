import { EventField, Rule, RuleTargetInput } from "aws-cdk-lib/aws-events";
import { SnsTopic } from "aws-cdk-lib/aws-events-targets";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import { dashboardOf, type Stage } from "../settings/stage.ts";
import { edgeRegion } from "./domains.ts";

/** A stack that has a topic for alarms. */
export type Teller = "service" | "alarms";

/** The certificates that a stack tells of, those that the stage makes too: each is told of by one stack, in its own region. */
export function certificatesOf(stage: Stage, teller: Teller): string[] {
  const { region, domain, gamesDomain } = stage;
  const dashboard = dashboardOf(stage);
  const isAtEdge = region === edgeRegion;
  const told: Readonly<Record<Teller, readonly (string | undefined)[]>> = {
    service: [
      domain?.certificateArn,
      ...(isAtEdge ? [dashboard?.domain?.certificateArn, gamesDomain?.certificateArn] : []),
    ],
    alarms: [gamesDomain?.certificateArn, dashboard?.domain?.certificateArn],
  };
  return [...new Set(told[teller].flatMap((arn) => arn ?? []))];
}

/**
 * Certificate Manager renews a certificate 60 days before its end. What is still due 30 days before was not renewed, because its DNS
 * record is gone, and is mailed each day (https://docs.aws.amazon.com/acm/latest/userguide/supported-events.html).
 */
export function tellOfCertificates(scope: Construct, topic: ITopic, arns: readonly string[]): void {
  if (arns.length === 0) return;
  const name = EventField.fromPath("$.detail.CommonName");
  new Rule(scope, "CertificateEnding", {
    description: "Certificates of the stage that Certificate Manager has not renewed",
    eventPattern: {
      source: ["aws.acm"],
      detailType: [
        "ACM Certificate Approaching Expiration",
        "ACM Certificate Renewal Action Required",
        "ACM Certificate Expired",
      ],
      resources: [...arns],
    },
    targets: [
      new SnsTopic(topic, {
        message: RuleTargetInput.fromText(
          `${EventField.fromPath("$.detail-type")}: ${name}. See "CertificateEnding" in docs/operations/looking.md.`,
        ),
      }),
    ],
  });
}
