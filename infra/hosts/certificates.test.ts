import { expect, test } from "@jest/globals";
import { everyOption, withDomain, withHostedZones } from "../../test/support/synthesis/settings.ts";
import { ofType, type Resources, synthesise, synthesiseEdgeAlarms } from "../../test/support/synthesis.ts";
import { stages } from "../stages.ts";

/** The certificates that each stack tells of, and to whom. */
function told(resources: Resources) {
  const rules = ofType(resources, "AWS::Events::Rule").filter(
    ({ Properties }) => Properties.EventPattern?.source?.[0] === "aws.acm",
  );
  const [topic] = Object.keys(resources).filter((id) => resources[id]?.Type === "AWS::SNS::Topic");
  return rules.flatMap(({ Properties: { EventPattern, Targets, State } }) => {
    expect(State).toBe("ENABLED");
    expect(Targets).toEqual([expect.objectContaining({ Arn: { Ref: topic } })]);
    expect(EventPattern["detail-type"]).toEqual([
      "ACM Certificate Approaching Expiration",
      "ACM Certificate Renewal Action Required",
      "ACM Certificate Expired",
    ]);
    return EventPattern.resources as unknown[];
  });
}

const dashboard = (stages["production"]?.dashboard || undefined)?.domain?.certificateArn;
const arn = (region: string, id: number) => `arn:aws:acm:${region}:222222222222:certificate/${id}`;

test("each certificate that is not renewed is mailed by one stack, in its own region", () => {
  const here = everyOption("production");
  expect(told(synthesise("production", here))).toEqual([arn("us-east-1", 1), dashboard, arn("us-east-1", 2)]);
  const elsewhere = { ...here, ...withDomain("production", "eu-west-3") };
  expect(told(synthesise("production", elsewhere))).toEqual([arn("eu-west-3", 1)]);
  expect(told(synthesiseEdgeAlarms("production", elsewhere))).toEqual([arn("us-east-1", 2), dashboard]);
});

test("without games the stack in us-east-1 of a stage elsewhere tells of the dashboard's certificate", () => {
  const elsewhere = withDomain("production", "eu-west-3");
  expect(told(synthesiseEdgeAlarms("production", elsewhere))).toEqual([dashboard]);
});

test("a certificate that the stage makes is told of too: it is not renewed once its record is gone", () => {
  const here = withHostedZones("staging");
  const made = synthesise("staging", here);
  const certificates = Object.keys(made).filter((id) => made[id]?.Type === "AWS::CertificateManager::Certificate");
  expect(certificates).toHaveLength(3);
  expect(told(made).toSorted()).toEqual(certificates.map((Ref) => ({ Ref })).toSorted());

  const elsewhere = { ...here, region: "eu-west-1" };
  const [api = ""] = Object.entries(synthesise("staging", elsewhere)).flatMap(([id, { Type }]) =>
    Type === "AWS::CertificateManager::Certificate" ? id : [],
  );
  expect(told(synthesise("staging", elsewhere))).toEqual([{ Ref: api }]);
  expect(told(synthesiseEdgeAlarms("staging", elsewhere))).toEqual(
    ["GamesCertificate", "DashboardCertificate"].map((output) => ({
      "Fn::GetStackOutput": expect.objectContaining({ StackName: "svc-staging-certificates", OutputName: output }),
    })),
  );
});
