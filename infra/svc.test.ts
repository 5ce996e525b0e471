import "../programs/stack-options.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { NestedStack, PermissionsBoundary, Stack } from "aws-cdk-lib";
import { HttpMethod } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpUrlIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { UserPool } from "aws-cdk-lib/aws-cognito";
import { PublicHostedZone } from "aws-cdk-lib/aws-route53";
import { CloudFormationModel } from "../test/support/cloudformation-model.ts";
import { createApp, type TestApp } from "../test/support/synthesis/app.ts";
import { ofType, type Resources } from "../test/support/synthesis.ts";
import { Svc, type SvcProps } from "./svc.ts";

/*
 * The construct in an app of somebody's own, beside constructs of theirs. test/long/deployment/construct.test.ts has it as a package.
 */

const env = { account: "111111111111", region: "eu-central-1" };
const settings = { identityProvider: "cognito", alarmEmail: "alarms@example.com" } as const;

let made: TestApp;
let stack: Stack;
beforeEach(() => {
  made = createApp();
  stack = new Stack(made.app, "Games", { env });
});
afterEach(() => made.dispose());

const add = (id: string, props: Partial<SvcProps> = {}) =>
  new Svc(stack, id, { ...settings, assets: { code: made.code, dashboard: made.dashboard }, ...props });

function synthesised(): {
  readonly Resources: Resources;
  readonly Outputs: Readonly<Record<string, { Value: unknown }>>;
} {
  return made.app.synth().getStackByName("Games").template;
}

const functionNamed = (resources: Resources, name: string) =>
  ofType(resources, "AWS::Lambda::Function").find(({ Properties }) => Properties.FunctionName === name)?.Properties;

test("an app has two services in two stacks, and a second one in a stack is refused before a deployment fails", () => {
  add("Production");
  const other = new Stack(made.app, "Staging", { env });
  new Svc(other, "Svc", { ...settings, name: "staging", assets: { code: made.code, dashboard: made.dashboard } });
  const assembly = made.app.synth();
  for (const [name, stage] of [
    ["Games", "production"],
    ["Staging", "staging"],
  ] as const) {
    const { Resources: resources, Outputs: outputs } = assembly.getStackByName(name).template;
    expect(functionNamed(resources, `svc-${stage}-get-me`)).toBeDefined();
    const names = ["ApiAddress", "TableName", "Issuer", "UserPoolId", "DashboardUrl", "Version"];
    expect(Object.keys(outputs)).toEqual(expect.arrayContaining(names));
  }
  expect(() => add("Second", { name: "second" })).toThrow("Games/Second: a stack takes one Svc, because two have more");
});

test("an option that is left out is an output for the operator's commands", () => {
  // A copy without the option has no such setting.
  add("Svc", { notices: false } as object);
  expect(synthesised().Outputs).toMatchObject({ LeftOutOptions: { Value: "notices" } });
});

describe("constructs of the app", () => {
  test("a user pool signs people in", () => {
    const userPool = new UserPool(stack, "People");
    const client = userPool.addClient("Page");
    add("Svc", { identityProvider: { userPool, client } });
    const { Resources: resources, Outputs: outputs } = synthesised();
    expect(ofType(resources, "AWS::Cognito::UserPool")).toHaveLength(1);
    const poolId = { Ref: stack.getLogicalId(userPool.node.defaultChild as never) };
    const issuer = { "Fn::Join": ["", ["https://cognito-idp.eu-central-1.amazonaws.com/", poolId]] };
    expect(functionNamed(resources, "svc-production-get-me")?.Environment.Variables).toMatchObject({
      IDP_ISSUER: issuer,
      IDP_AUDIENCE: { Ref: stack.getLogicalId(client.node.defaultChild as never) },
      IDP_JWKS_URI: {
        "Fn::Join": ["", ["https://cognito-idp.eu-central-1.amazonaws.com/", poolId, "/.well-known/jwks.json"]],
      },
    });
    expect(outputs["Issuer"]?.Value).toEqual(issuer);
  });

  test("a certificate is that of the API", () => {
    const certificate = new Certificate(stack, "Certificate", { domainName: "api.example.com" });
    add("Svc", { domain: { name: "api.example.com", certificate } });
    const { Resources: resources } = synthesised();
    const [{ Properties } = { Properties: undefined }] = ofType(resources, "AWS::ApiGatewayV2::DomainName");
    expect(Properties.DomainNameConfigurations).toEqual([
      expect.objectContaining({
        CertificateArn: { Ref: stack.getLogicalId(certificate.node.defaultChild as never) },
      }),
    ]);
  });

  test("a hosted zone has the records of the API, which makes its certificate", () => {
    const zone = new PublicHostedZone(stack, "Zone", { zoneName: "example.com" });
    add("Svc", { domain: { name: "api.example.com" }, hostedZones: [zone] });
    const { Resources: resources } = synthesised();
    const id = { Ref: stack.getLogicalId(zone.node.defaultChild as never) };
    expect(ofType(resources, "AWS::Route53::RecordSet").map(({ Properties }) => Properties)).toEqual([
      expect.objectContaining({ Name: "api.example.com.", HostedZoneId: id }),
    ]);
    expect(ofType(resources, "AWS::CertificateManager::Certificate").map(({ Properties }) => Properties)).toEqual([
      expect.objectContaining({ DomainValidationOptions: [{ DomainName: "api.example.com", HostedZoneId: id }] }),
    ]);
  });

  test("a certificate that CloudFront cannot read is refused in a sentence", () => {
    const certificate = new Certificate(stack, "Certificate", { domainName: "dashboard.example.com" });
    expect(() => add("Svc", { dashboard: { domain: { name: "dashboard.example.com", certificate } } })).toThrow(
      "dashboard.domain.certificate must be in us-east-1, and is in eu-central-1.",
    );
  });

  test("a route and an alarm of the app stand beside those of the service", () => {
    const svc = add("Svc");
    svc.api.addRoutes({
      path: "/hello",
      methods: [HttpMethod.GET],
      integration: new HttpUrlIntegration("Hello", "https://example.com/hello"),
    });
    svc.api.metricCount().createAlarm(stack, "Popular", { threshold: 1_000_000, evaluationPeriods: 1 });
    const { Resources: resources } = synthesised();
    const routes = ofType(resources, "AWS::ApiGatewayV2::Route").map(({ Properties }) => Properties.RouteKey);
    expect(routes).toEqual(expect.arrayContaining(["GET /hello", "ANY /me"]));
    expect(Object.keys(resources).filter((id) => id.startsWith("Popular"))).toHaveLength(1);
  });
});

test("a service in a nested stack has its alarms there, because no stack beside it can read its outputs", () => {
  const nested = new NestedStack(stack, "Nested");
  const svc = new Svc(nested, "Svc", { ...settings, assets: { code: made.code, dashboard: made.dashboard } });
  expect(svc.otherStacks).toEqual([]);
  const assembly = made.app.synth();
  const { Resources: resources } = JSON.parse(readFileSync(join(assembly.directory, nested.templateFile), "utf8"));
  const alarms = ofType(resources, "AWS::CloudWatch::Alarm").map(({ Properties }) => Properties.AlarmName);
  expect(alarms).toEqual(expect.arrayContaining(["svc-production-ApiFailing", "svc-production-InternalErrors"]));
});

describe("names at CloudFront of a service in another region", () => {
  const gamesDomain = { name: "github.io", isPublicSuffix: true } as const;
  const dashboard = { domain: { name: "dashboard.example.com" } };
  const zones = () => {
    const dns = new Stack(made.app, "Dns", { env });
    return [
      new PublicHostedZone(dns, "Zone", { zoneName: "github.io" }),
      new PublicHostedZone(dns, "Other", { zoneName: "example.com" }),
    ];
  };
  const templateOf = (name: string) => made.app.synth().getStackByName(name).template;
  const edgeStack = (svc: Svc, end: RegExp) => svc.otherStacks.find(({ stackName }) => end.test(stackName)) as Stack;

  test("have what must be in us-east-1 in stacks beside the service's, which CloudFormation can make in their order", () => {
    const svc = add("Svc", { gamesDomain, dashboard, hostedZones: zones() });
    const names = svc.otherStacks.map(({ stackName }) => stackName);
    expect(names).toEqual([
      "Games-certificates",
      expect.stringMatching(/^Games-games-[0-9a-f]{8}$/),
      "Games-games-log",
      "Games-alarms",
      "Games-monitoring",
    ]);
    const model = new CloudFormationModel();
    const deployed: string[] = [];
    // In the order of the CDK's command line.
    for (const { stackName, template, environment } of made.app.synth().stacks) {
      model.deploy(stackName, template);
      deployed.push(`${stackName} ${environment.region}`);
    }
    const [certificates, origin, log, alarms] = names.map((name) => `${name} us-east-1`);
    const monitoring = "Games-monitoring eu-central-1";
    expect(deployed.toSorted()).toEqual(
      ["Dns eu-central-1", certificates, origin, "Games eu-central-1", log, alarms, monitoring].toSorted(),
    );
    for (const [former, later] of [
      ["Dns eu-central-1", certificates],
      [certificates, "Games eu-central-1"],
      [origin, "Games eu-central-1"],
      ["Games eu-central-1", log],
      ["Games eu-central-1", alarms],
      ["Games eu-central-1", monitoring],
    ] as const)
      expect(deployed.indexOf(former ?? "")).toBeLessThan(deployed.indexOf(later ?? ""));
  });

  test("have certificates that their zones prove", () => {
    add("Svc", { gamesDomain, dashboard, hostedZones: zones() });
    const certificates = ofType(templateOf("Games-certificates").Resources, "AWS::CertificateManager::Certificate");
    const zone = { "Fn::GetStackOutput": expect.objectContaining({ Region: "eu-central-1" }) };
    expect(
      certificates.map(({ Properties }) => [Properties.DomainName, Properties.DomainValidationOptions[0].HostedZoneId]),
    ).toEqual([
      ["dashboard.example.com", zone],
      ["*.github.io", zone],
    ]);
    const distributions = ofType(templateOf("Games").Resources, "AWS::CloudFront::Distribution");
    const output = (OutputName: string) => ({
      "Fn::GetStackOutput": { StackName: "Games-certificates", OutputName, Region: "us-east-1" },
    });
    const used = distributions.map(({ Properties: { DistributionConfig: config } }) => [
      config.Aliases[0],
      config.ViewerCertificate.AcmCertificateArn,
    ]);
    expect(Object.fromEntries(used)).toEqual({
      "*.github.io": output("GamesCertificate"),
      "dashboard.example.com": output("DashboardCertificate"),
    });
  });

  test("may have certificates of the app", () => {
    const certificate = new Certificate(
      new Stack(made.app, "Certificates", { env: { ...env, region: "us-east-1" } }),
      "Games",
      { domainName: "*.github.io" },
    );
    const svc = add("Svc", { gamesDomain: { ...gamesDomain, certificate } });
    expect(svc.otherStacks.map(({ stackName }) => stackName)).not.toContain("Games-certificates");
    const elsewhere = new Certificate(stack, "Elsewhere", { domainName: "*.github.io" });
    const other = new Stack(made.app, "Other", { env });
    expect(
      () =>
        new Svc(other, "Svc", { ...settings, name: "other", gamesDomain: { ...gamesDomain, certificate: elsewhere } }),
    ).toThrow("gamesDomain.certificate must be in us-east-1, and is in eu-central-1.");
  });

  test.each([
    ["Play", "play-svcfiles*", "Play-SvcTable*"],
    // CloudFormation cuts a bucket's name to 63 characters.
    ["PublishingServiceForAllOfOurGames", "publishingservicefor*", "PublishingServiceForAllOfOurGames-SvcTable*"],
  ])(
    "let Lambda@Edge read bucket and table of the stack %s by the names that CloudFormation gives them",
    (name, bucket, table) => {
      const own = new Stack(made.app, name, { env, permissionsBoundary: PermissionsBoundary.fromName("ours") });
      const hostedZones = { "github.io": "Z1GITHUBIO" };
      const assets = { code: made.code, dashboard: made.dashboard };
      const svc = new Svc(own, "Svc", { ...settings, assets, gamesDomain, hostedZones });
      const { Resources: resources } = templateOf(edgeStack(svc, /-games-[0-9a-f]{8}$/).stackName);
      const [role] = ofType(resources, "AWS::IAM::Role");
      expect(JSON.stringify(role?.Properties.PermissionsBoundary)).toContain(":policy/ours");
      const [policy] = ofType(resources, "AWS::IAM::Policy");
      const read = policy?.Properties.PolicyDocument.Statement.flatMap(
        ({ Resource }: { Resource: string }) => Resource,
      );
      expect(read).toEqual(
        expect.arrayContaining([
          `arn:aws:s3:::${bucket}/projects/*/manifests/*`,
          `arn:aws:dynamodb:eu-central-1:111111111111:table/${table}`,
        ]),
      );
    },
  );

  test("are refused in a nested stack, whose name nobody knows", () => {
    const nested = new NestedStack(stack, "Nested");
    const certificate = Certificate.fromCertificateArn(stack, "C", "arn:aws:acm:us-east-1:111111111111:certificate/1");
    expect(
      () =>
        new Svc(nested, "Svc", {
          ...settings,
          assets: { code: made.code, dashboard: made.dashboard },
          gamesDomain: { ...gamesDomain, certificate },
        }),
    ).toThrow("Games/Nested: names at CloudFront need stacks in us-east-1");
  });

  test("are refused with a zone of the service's own stack, which needs their certificates first", () => {
    const zone = new PublicHostedZone(stack, "Zone", { zoneName: "github.io" });
    expect(() => add("Svc", { gamesDomain, hostedZones: [zone] })).toThrow(
      "The zone github.io must be in a stack of its own: the certificate of github.io is made in us-east-1 before the stack Games",
    );
  });
});
