import { expect, test } from "@jest/globals";
import { changeAll } from "../../test/support/control-plane-model.ts";
import { type RouteName, routes, routesOfAllMethods } from "../../test/support/routes.ts";
import {
  functionOf,
  ofType,
  only,
  type Resource,
  statementsOfRoles,
  synthesise,
} from "../../test/support/synthesis.ts";

const staging = synthesise("staging");

const names = Object.keys(routes) as RouteName[];
const ofAllMethods = routesOfAllMethods();

test("the API has the routes of the contract and no other, each in front of the function of its name", () => {
  const routed = ofType(staging, "AWS::ApiGatewayV2::Route").map(({ Properties: { RouteKey, Target } }) => {
    const integration = staging[Target["Fn::Join"][1][1].Ref]?.Properties;
    expect(integration).toMatchObject({ IntegrationType: "AWS_PROXY", PayloadFormatVersion: "2.0" });
    return [RouteKey, integration.IntegrationUri["Fn::GetAtt"][0]];
  });
  const expected = names.map((name) => {
    const path = routes[name].path.replace(/:(\w+)/g, "{$1}").replace("*path", "{path+}");
    const method = ofAllMethods.has(name) ? "ANY" : routes[name].method;
    return [`${method} ${path}`, functionOf(staging, name)[0]];
  });
  expect(routed.toSorted()).toEqual(expected.toSorted());
  expect(routed.map(([key]) => key)).toContain("ANY /projects/{slug}/files/{path+}");
});

test("routes are made and deleted a few at a time, as API Gateway's quota for changes demands, and in less than two minutes", () => {
  const chained = (change: "create" | "delete") => changeAll(staging, change);
  for (const change of ["create", "delete"] as const) expect(chained(change)).toBeLessThan(120);
  const withoutChains = Object.fromEntries(
    Object.entries(staging).map(([id, { DependsOn = [], ...rest }]) => {
      const others = [DependsOn].flat().filter((other) => staging[other]?.Type !== "AWS::ApiGatewayV2::Route");
      return [id, { ...rest, DependsOn: others }];
    }),
  );
  expect(() => changeAll(withoutChains, "create")).toThrow("TooManyRequestsException");
});

test("API Gateway calls the functions of the stage as one role, which nobody else assumes", () => {
  const [[id = "", invoker] = []] = Object.entries(staging).filter(([name]) => name.startsWith("ApiInvoker"));
  expect(invoker?.Properties.AssumeRolePolicyDocument.Statement).toEqual([
    { Effect: "Allow", Principal: { Service: "apigateway.amazonaws.com" }, Action: "sts:AssumeRole" },
  ]);
  expect(statementsOfRoles(staging)[id]).toEqual([
    {
      Effect: "Allow",
      Action: "lambda:InvokeFunction",
      Resource: "arn:aws:lambda:us-east-1:111111111111:function:svc-staging-*",
    },
  ]);
  const integrations = ofType(staging, "AWS::ApiGatewayV2::Integration").map(({ Properties }) => Properties);
  expect(integrations).toHaveLength(names.length);
  for (const integration of integrations)
    expect(integration).toMatchObject({
      IntegrationType: "AWS_PROXY",
      PayloadFormatVersion: "2.0",
      CredentialsArn: { "Fn::GetAtt": [id, "Arn"] },
    });
});

test("the access log has no header, path or query, which could contain a credential or name a person", () => {
  const format = JSON.parse(only(staging, "AWS::ApiGatewayV2::Stage").Properties.AccessLogSettings.Format);
  expect(Object.values(format)).toEqual([
    "$context.requestId",
    "$context.requestTime",
    "$context.identity.sourceIp",
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
  const stage = only(staging, "AWS::ApiGatewayV2::Stage");
  const keys = ofType(staging, "AWS::ApiGatewayV2::Route").map(({ Properties }) => Properties.RouteKey);
  expect(Object.keys(stage.Properties.RouteSettings).toSorted()).toEqual(keys.toSorted());
  const settings = Object.values<Resource["Properties"]>(stage.Properties.RouteSettings);
  expect(settings.map(({ ThrottlingRateLimit }) => ThrottlingRateLimit).reduce((sum, rate) => sum + rate)).toBeCloseTo(
    1_000,
    -1,
  );
  expect(stage.Properties.RouteSettings["ANY /projects/{slug}/files/{path+}"].ThrottlingRateLimit).toBeGreaterThan(
    stage.Properties.RouteSettings["ANY /me"].ThrottlingRateLimit,
  );
  const ids = Object.keys(staging).filter((id) => staging[id]?.Type === "AWS::ApiGatewayV2::Route");
  expect(stage.DependsOn).toEqual(expect.arrayContaining(ids));
});

test("pages of every origin, also sandboxed games, may call the API without cookies", () => {
  const { CorsConfiguration } = only(synthesise("staging", { webOrigins: [] }), "AWS::ApiGatewayV2::Api").Properties;
  expect(CorsConfiguration).toMatchObject({
    AllowOrigins: ["*"],
    AllowHeaders: [
      "authorization",
      "content-type",
      "idempotency-key",
      "if-match",
      "if-none-match",
      "if-unmodified-since",
    ],
  });
  expect(new Set(CorsConfiguration.AllowMethods)).toEqual(new Set(names.map((name) => routes[name].method)));
  expect(CorsConfiguration).not.toHaveProperty("AllowCredentials");
});

test("a stage with a domain is reached only by that name", () => {
  const production = synthesise("production");
  expect(only(production, "AWS::ApiGatewayV2::Api").Properties.DisableExecuteApiEndpoint).toBe(true);
  expect(only(production, "AWS::ApiGatewayV2::DomainName").Properties).toMatchObject({
    DomainName: "api.example.com",
    DomainNameConfigurations: [{ SecurityPolicy: "TLS_1_2", EndpointType: "REGIONAL" }],
  });
  expect(ofType(staging, "AWS::ApiGatewayV2::DomainName")).toEqual([]);
});
