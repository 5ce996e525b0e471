import "../../programs/stack-options.ts";
import { describe, expect, test } from "@jest/globals";
import { withHostedZones } from "../../test/support/synthesis/settings.ts";
import {
  ofType,
  type Resource,
  type Resources,
  synthesise,
  synthesiseEdgeCertificates,
} from "../../test/support/synthesis.ts";
import { readStage } from "../settings/stage.ts";
import { stages } from "../stages.ts";
import { hostedZoneOf } from "./domains.ts";

/*
 * A stage with hosted zones: its names are words in its settings, and it makes certificates and records itself.
 */

const zones = withHostedZones("staging");
const made = synthesise("staging", zones);

const idOf = (resources: Resources, matches: (resource: Resource) => boolean) =>
  Object.keys(resources).find((id) => matches(resources[id] as Resource)) ?? "";
const certificate = (name: string) => ({
  Ref: idOf(made, ({ Type, Properties }) => Type.endsWith("::Certificate") && Properties.DomainName === name),
});
const distribution = (alias: string) =>
  idOf(
    made,
    ({ Type, Properties }) =>
      Type === "AWS::CloudFront::Distribution" && Properties.DistributionConfig.Aliases?.includes(alias),
  );

test("each name has a certificate, which the record in its zone proves and renews", () => {
  const certificates = ofType(made, "AWS::CertificateManager::Certificate").map(({ Properties }) => [
    Properties.DomainName,
    Properties.ValidationMethod,
    Properties.DomainValidationOptions.map(({ HostedZoneId }: { HostedZoneId: string }) => HostedZoneId).join(),
  ]);
  expect(certificates.toSorted()).toEqual([
    ["*.github.io", "DNS", "Z2GITHUBIO"],
    ["api.example.com", "DNS", "Z1EXAMPLECOM"],
    ["dashboard.example.com", "DNS", "Z1EXAMPLECOM"],
  ]);
  for (const name of ["*.github.io", "dashboard.example.com"])
    expect(made[distribution(name)]?.Properties.DistributionConfig.ViewerCertificate.AcmCertificateArn).toEqual(
      certificate(name),
    );
  const [api] = ofType(made, "AWS::ApiGatewayV2::DomainName");
  expect(api?.Properties.DomainNameConfigurations[0].CertificateArn).toEqual(certificate("api.example.com"));
});

test("each name has records that point to what serves it, of IPv6 too for CloudFront", () => {
  const records = ofType(made, "AWS::Route53::RecordSet").map(({ Properties }) => Properties);
  expect(records.map(({ Name, Type, HostedZoneId }) => [Name, Type, HostedZoneId]).toSorted()).toEqual([
    ["*.github.io.", "A", "Z2GITHUBIO"],
    ["*.github.io.", "AAAA", "Z2GITHUBIO"],
    ["api.example.com.", "A", "Z1EXAMPLECOM"],
    ["dashboard.example.com.", "A", "Z1EXAMPLECOM"],
    ["dashboard.example.com.", "AAAA", "Z1EXAMPLECOM"],
  ]);
  for (const name of ["*.github.io", "dashboard.example.com"])
    for (const { AliasTarget } of records.filter(({ Name }) => Name === `${name}.`))
      expect(AliasTarget.DNSName).toEqual({ "Fn::GetAtt": [distribution(name), "DomainName"] });
  const api = records.find(({ Name }) => Name === "api.example.com.");
  expect(JSON.stringify(api?.AliasTarget)).toContain("RegionalDomainName");
});

test("a stage elsewhere makes the certificates of CloudFront's names in us-east-1, and the API's itself", () => {
  const elsewhere = { ...zones, region: "eu-west-1" };
  const certified = (resources: Resources) =>
    ofType(resources, "AWS::CertificateManager::Certificate").map(({ Properties }) => Properties.DomainName);
  expect(certified(synthesise("staging", elsewhere))).toEqual(["api.example.com"]);
  expect(certified(synthesiseEdgeCertificates("staging", elsewhere))).toEqual(["dashboard.example.com", "*.github.io"]);
});

test("a name with a certificate of its own has records all the same, and without a zone it has none", () => {
  const certificateArn = "arn:aws:acm:us-east-1:111111111111:certificate/1";
  const domain = { name: "api.example.com", certificateArn };
  const own = synthesise("staging", { domain, hostedZones: { "example.com": "Z1EXAMPLECOM" } });
  expect(ofType(own, "AWS::CertificateManager::Certificate")).toEqual([]);
  const names = ofType(own, "AWS::Route53::RecordSet").map(({ Properties }) => Properties.Name);
  expect(names).toContain("api.example.com.");
  expect(ofType(synthesise("staging", { domain }), "AWS::Route53::RecordSet")).toEqual([]);
});

describe("a name without a certificate", () => {
  const read = (changes: object) => () => readStage("staging", { staging: { ...stages["staging"], ...changes } });

  test("needs a zone with it", () => {
    expect(read(zones)).not.toThrow();
    expect(read({ ...zones, hostedZones: { "example.org": "Z3" } })).toThrow(
      "domain needs certificateArn, or a zone in hostedZones with api.example.com.",
    );
    expect(read({ ...zones, hostedZones: { "example.com": "Z1" } })).toThrow(
      "gamesDomain needs certificateArn, or a zone in hostedZones with github.io.",
    );
  });

  test("is not taken for a zone's because it ends alike", () => {
    expect(hostedZoneOf({ hostedZones: { "ample.com": "Z1" } }, "api.example.com")).toBeUndefined();
    const both = { hostedZones: { "example.com": "Z1", "api.example.com": "Z2" } };
    expect(hostedZoneOf(both, "api.example.com")).toEqual({ zoneName: "api.example.com", hostedZoneId: "Z2" });
    expect(hostedZoneOf(both, "example.com")).toEqual({ zoneName: "example.com", hostedZoneId: "Z1" });
  });

  test("a zone's id is checked", () => {
    expect(read({ ...zones, hostedZones: { "example.com": "example.com" } })).toThrow(
      "must be the id of a hosted zone such as Z0123456789ABCDEFGHIJ",
    );
  });
});
