import { afterEach, expect, test } from "@jest/globals";
import { Validations } from "aws-cdk-lib";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { AwsSolutionsChecks } from "cdk-nag";
import { kebabCase, type RouteName, routes } from "../contract/routes.ts";
import { type Access, access } from "../functions/access.ts";
import { ofType, type Resource, serviceApp, synthesise } from "../test/support/synthesis.ts";
import { stages } from "./stages.ts";

const staging = synthesise("staging");
const names = Object.keys(routes) as RouteName[];

let dispose = () => {};
afterEach(() => dispose());

/** What a route's function may do on which part of the stack, in the order of the words. */
function permissionsOf(name: RouteName): string[] {
  const role = functionOf(name)[1].Properties.Role["Fn::GetAtt"][0];
  const policies = ofType(staging, "AWS::IAM::Policy").filter(({ Properties }) => Properties.Roles[0].Ref === role);
  expect(staging[role]?.Properties).not.toHaveProperty("ManagedPolicyArns");
  return policies
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
    .flatMap(({ Effect, Action, Resource }) =>
      [Action].flat().map((action) => `${Effect} ${action} ${nameOf(Resource)}`),
    )
    .toSorted();
}

/** The part of the stack that a policy's resource is, without the digest of its logical id. */
function nameOf(
  resource: { "Fn::GetAtt"?: [string]; "Fn::Join"?: [string, [{ "Fn::GetAtt": [string] }, string]] } | string,
): string {
  if (typeof resource === "string") return resource;
  const [part, rest] = resource["Fn::Join"]?.[1] ?? [resource, ""];
  return `${part["Fn::GetAtt"]?.[0].slice(0, -8)}${rest}`;
}

/** The function of a route, found by the name that a person sees in the console. */
function functionOf(name: RouteName, resources = staging): [id: string, lambda: Resource] {
  const found = Object.entries(resources).find(([, { Properties }]) =>
    Properties.FunctionName?.endsWith?.(`-${kebabCase(name)}`),
  );
  if (found === undefined) throw new Error(`No function for ${name}`);
  return found;
}

function only(type: string, resources = staging): Resource {
  const [resource, ...others] = ofType(resources, type);
  if (resource === undefined || others.length > 0) throw new Error(`Not exactly one ${type}`);
  return resource;
}

test.each(Object.keys(stages))("%s passes CloudFormation's own rules and the AwsSolutions pack", (name) => {
  const made = serviceApp(name, {}, { rules: true });
  dispose = made.dispose;
  Validations.of(made.app).addPlugins(new AwsSolutionsChecks(made.app));
  expect(() => made.app.synth()).not.toThrow();
  expect(made.findings()).toEqual([]);
});

test("the API has the routes of the contract and no other, each in front of the function of its name", () => {
  const routed = ofType(staging, "AWS::ApiGatewayV2::Route").map(({ Properties: { RouteKey, Target } }) => {
    const integration = staging[Target["Fn::Join"][1][1].Ref]?.Properties;
    expect(integration).toMatchObject({ IntegrationType: "AWS_PROXY", PayloadFormatVersion: "2.0" });
    return [RouteKey, integration.IntegrationUri["Fn::GetAtt"][0]];
  });
  const expected = names.map((name) => {
    const path = routes[name].path.replace(/:(\w+)/g, "{$1}").replace("*path", "{path+}");
    return [`${routes[name].method} ${path}`, functionOf(name)[0]];
  });
  expect(routed.toSorted()).toEqual(expected.toSorted());
  expect(routed.map(([key]) => key)).toContain("GET /projects/{slug}/files/{path+}");
});

test("API Gateway may call each function for its own route alone", () => {
  const permissions = ofType(staging, "AWS::Lambda::Permission").map(({ Properties }) => Properties);
  expect(permissions.map(({ FunctionName }) => FunctionName["Fn::GetAtt"][0]).toSorted()).toEqual(
    names.map((name) => functionOf(name)[0]).toSorted(),
  );
  for (const { SourceArn } of permissions)
    expect(JSON.stringify(SourceArn)).toMatch(/"Ref":"ApiHttp\w+".*"\/\*\/\*\/\w+/);
});

test.each(names)("%s has the function that its route needs and the environment of it alone", (name) => {
  const [, { Properties }] = functionOf(name);
  expect(Properties).toMatchObject({
    Runtime: "nodejs24.x",
    Architectures: ["arm64"],
    Handler: "index.handler",
    TracingConfig: { Mode: "Active" },
    LoggingConfig: { LogFormat: "JSON", ApplicationLogLevel: "INFO", SystemLogLevel: "WARN" },
  });
  expect(Properties.Timeout).toBeLessThan(30);
  const { table, bucket }: Access = access[name];
  expect(Object.keys(Properties.Environment.Variables).toSorted()).toEqual(
    [
      "SVC_STAGE",
      ...(routes[name].credential === "none" ? [] : ["IDP_ISSUER", "IDP_AUDIENCE", "IDP_JWKS_URI"]),
      ...(table ? ["TABLE_NAME"] : []),
      ...(bucket ? ["BUCKET_NAME"] : []),
    ].toSorted(),
  );
});

test.each(names)(
  "%s may do what functions/access.ts declares, write its log, send traces, and nothing else",
  (name) => {
    const { table = [], bucket = [] }: Access = access[name];
    const expected = [
      "Allow logs:CreateLogStream FunctionLog",
      "Allow logs:PutLogEvents FunctionLog",
      "Allow xray:PutTelemetryRecords *",
      "Allow xray:PutTraceSegments *",
      ...table.map((action) => `Allow ${action} Table`),
      ...bucket.map((action) => (action === "s3:ListBucket" ? `Allow ${action} Files` : `Allow ${action} Files/*`)),
    ];
    expect(permissionsOf(name)).toEqual(expected.toSorted());
  },
);

test("a function with IDP_AUTH_EMULATOR_HOST in its environment is refused at synth", () => {
  const made = serviceApp("staging");
  dispose = made.dispose;
  const lambda = made.stack.node.findChild("GetMe").node.findChild("Function") as LambdaFunction;
  lambda.addEnvironment("IDP_AUTH_EMULATOR_HOST", "localhost:9099");
  expect(() => made.app.synth()).toThrow("svc-staging/GetMe/Function/Resource has IDP_AUTH_EMULATOR_HOST");
});

test("the table is on demand, restorable, protected from deletion and forgets what has expired", () => {
  expect(only("AWS::DynamoDB::GlobalTable")).toMatchObject({
    DeletionPolicy: "Retain",
    Properties: {
      BillingMode: "PAY_PER_REQUEST",
      TimeToLiveSpecification: { AttributeName: "ttl", Enabled: true },
      Replicas: [
        {
          Region: "us-east-1",
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 7 },
          ContributorInsightsSpecification: { Enabled: false },
        },
      ],
    },
  });
  expect(only("AWS::DynamoDB::GlobalTable").Properties).not.toHaveProperty("GlobalSecondaryIndexes");
});

test("both buckets are private, encrypted, reached by TLS alone and kept", () => {
  const buckets = ofType(staging, "AWS::S3::Bucket");
  expect(buckets).toHaveLength(2);
  for (const bucket of buckets)
    expect(bucket).toMatchObject({
      DeletionPolicy: "Retain",
      Properties: {
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: "AES256" } }],
        },
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
      },
    });
  for (const { Properties } of ofType(staging, "AWS::S3::BucketPolicy"))
    expect(Properties.PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({ Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } }),
    );
});

test("a disposable stage takes its data with it", () => {
  const resources = synthesise("staging", { disposable: true });
  expect(only("AWS::DynamoDB::GlobalTable", resources)).toMatchObject({
    DeletionPolicy: "Delete",
    Properties: { Replicas: [{ DeletionProtectionEnabled: false }] },
  });
  for (const bucket of ofType(resources, "AWS::S3::Bucket")) expect(bucket.DeletionPolicy).toBe("Delete");
});

test("the access log has no header, no path and no query, where a credential or a person could stand", () => {
  const format = JSON.parse(only("AWS::ApiGatewayV2::Stage").Properties.AccessLogSettings.Format);
  expect(Object.values(format)).toEqual([
    "$context.requestId",
    "$context.requestTime",
    "$context.identity.sourceIp",
    "$context.identity.userAgent",
    "$context.routeKey",
    "$context.status",
    "$context.responseLatency",
    "$context.integrationLatency",
    "$context.responseLength",
    "$context.error.message",
    "$context.integrationErrorMessage",
  ]);
});

test("each route has its own throttle, and the stage waits for the routes that it names", () => {
  const stage = only("AWS::ApiGatewayV2::Stage");
  const keys = ofType(staging, "AWS::ApiGatewayV2::Route").map(({ Properties }) => Properties.RouteKey);
  expect(Object.keys(stage.Properties.RouteSettings).toSorted()).toEqual(keys.toSorted());
  expect(stage.Properties.RouteSettings).toMatchObject({
    "GET /me": { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 },
    "POST /tokens": { ThrottlingRateLimit: 20, ThrottlingBurstLimit: 40 },
    "POST /projects/{slug}/releases": { ThrottlingRateLimit: 2, ThrottlingBurstLimit: 4 },
  });
  const ids = Object.keys(staging).filter((id) => staging[id]?.Type === "AWS::ApiGatewayV2::Route");
  expect(stage.DependsOn).toEqual(expect.arrayContaining(ids));
});

test("pages of the configured origins may call the API and upload, and of no others", () => {
  const origins = ["https://dashboard.staging.example.com", "http://localhost:5173"];
  expect(only("AWS::ApiGatewayV2::Api").Properties.CorsConfiguration).toMatchObject({
    AllowOrigins: origins,
    AllowHeaders: ["authorization", "content-type"],
  });
  const rules = ofType(staging, "AWS::S3::Bucket").flatMap(
    ({ Properties }) => Properties.CorsConfiguration?.CorsRules ?? [],
  );
  expect(rules.find(({ AllowedMethods }) => AllowedMethods.includes("PUT"))?.AllowedOrigins).toEqual(origins);
  const closed = synthesise("staging", { webOrigins: [] });
  expect(only("AWS::ApiGatewayV2::Api", closed).Properties).not.toHaveProperty("CorsConfiguration");
});

test("a stage with a domain is reached by that name alone", () => {
  const production = synthesise("production");
  expect(only("AWS::ApiGatewayV2::Api", production).Properties.DisableExecuteApiEndpoint).toBe(true);
  expect(only("AWS::ApiGatewayV2::DomainName", production).Properties).toMatchObject({
    DomainName: "api.example.com",
    DomainNameConfigurations: [{ SecurityPolicy: "TLS_1_2", EndpointType: "REGIONAL" }],
  });
  expect(ofType(staging, "AWS::ApiGatewayV2::DomainName")).toEqual([]);
});

test("logs are kept as long as the stage says", () => {
  for (const { Properties } of ofType(staging, "AWS::Logs::LogGroup")) expect(Properties.RetentionInDays).toBe(30);
});

test("the template is the one that was reviewed", () => {
  // The name of a bundle's archive is the digest of its content.
  const withoutDigests = JSON.parse(JSON.stringify(staging).replace(/[0-9a-f]{64}\.zip/g, "BUNDLE.zip"));
  expect(withoutDigests).toMatchSnapshot();
});
