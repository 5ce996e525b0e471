import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Stack } from "aws-cdk-lib";
import { HttpMethod } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpUrlIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { UserPool } from "aws-cdk-lib/aws-cognito";
import { PublicHostedZone } from "aws-cdk-lib/aws-route53";
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
