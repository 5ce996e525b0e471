import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { addressRefusal } from "../contract/api/address-refusal.ts";
import { gatewayError } from "../contract/api/problem.ts";
import { routes } from "../contract/api/routes.ts";
import { createApp } from "../test/support/synthesis/app.ts";
import { withApiEdge } from "../test/support/synthesis/settings.ts";
import { ofType, only, type Resource, synthesise, synthesiseApiEdge } from "../test/support/synthesis.ts";
import { ApiEdgeStack } from "./api-edge-stack.ts";
import { filesPattern, signInPattern } from "./api-edge-waf.ts";
import { hasApiEdge, readStage } from "./stage.ts";
import { stages } from "./stages.ts";

const edge = synthesiseApiEdge("staging");
const { DistributionConfig: config } = only(edge, "AWS::CloudFront::Distribution").Properties;
const acl = only(edge, "AWS::WAFv2::WebACL").Properties;
const { domain, apiEdge } = withApiEdge("staging");

describe("the API's distribution", () => {
  test("has the API's name, over TLS alone, and no other origin than API Gateway's name for it", () => {
    expect(config).toMatchObject({
      Aliases: ["api.example.com"],
      HttpVersion: "http2and3",
      ViewerCertificate: { AcmCertificateArn: apiEdge.certificateArn, MinimumProtocolVersion: "TLSv1.2_2025" },
      DefaultCacheBehavior: { ViewerProtocolPolicy: "https-only", Compress: false },
    });
    expect(config.CacheBehaviors).toBeUndefined();
    expect(config.Logging).toBeUndefined();
    expect(config.Origins).toEqual([
      expect.objectContaining({
        DomainName: {
          "Fn::GetStackOutput": { StackName: "svc-staging", OutputName: "DomainTarget", Region: "us-east-1" },
        },
        CustomOriginConfig: {
          OriginProtocolPolicy: "https-only",
          OriginSSLProtocols: ["TLSv1.2"],
          OriginReadTimeout: 35,
          OriginMtlsConfig: { ClientCertificateArn: apiEdge.clientCertificateArn },
        },
      }),
    ]);
  });

  test("passes on every method, header, cookie and query, and the viewer's address", () => {
    expect(config.DefaultCacheBehavior.AllowedMethods).toEqual(expect.arrayContaining(["GET", "PATCH", "DELETE"]));
    expect(config.DefaultCacheBehavior.OriginRequestPolicyId).toEqual({ Ref: expect.stringMatching(/^OriginRequest/) });
    expect(only(edge, "AWS::CloudFront::OriginRequestPolicy").Properties.OriginRequestPolicyConfig).toEqual({
      Name: "svc-staging-api",
      CookiesConfig: { CookieBehavior: "all" },
      HeadersConfig: { HeaderBehavior: "allViewerAndWhitelistCloudFront", Headers: ["CloudFront-Viewer-Address"] },
      QueryStringsConfig: { QueryStringBehavior: "all" },
    });
  });

  test("keeps no response: not one success, and no error for the next caller of the same URL", () => {
    // AWS's own policy CachingDisabled.
    expect(config.DefaultCacheBehavior.CachePolicyId).toBe("4135ea2d-6df8-44a3-9df3-4b5a84be39ad");
    const kept = config.CustomErrorResponses.map((each: Record<string, unknown>) => JSON.stringify(each));
    // All that CloudFront keeps by itself ("HTTP 4xx and 5xx status codes that CloudFront caches").
    const statuses = [400, 403, 404, 405, 414, 500, 501, 502, 503, 504];
    expect(kept).toEqual(statuses.map((ErrorCode) => JSON.stringify({ ErrorCachingMinTTL: 0, ErrorCode })));
  });

  test("has AWS WAF, and IPv4 alone, of which nobody has addresses without end", () => {
    expect(config.WebACLId).toEqual({ "Fn::GetAtt": [expect.stringMatching(/^WebAcl/), "Arn"] });
    expect(config.IPV6Enabled).toBe(false);
  });

  test("is in us-east-1 wherever the stage is, and cannot be deleted by mistake", () => {
    for (const disposable of [undefined, true]) {
      const { app, dispose } = createApp();
      const changes = { ...withApiEdge("staging", "eu-west-1"), disposable };
      const stage = readStage("staging", { staging: { ...stages["staging"], ...changes } });
      const stack = hasApiEdge(stage) ? new ApiEdgeStack(app, stage) : undefined;
      expect(stack?.region).toBe("us-east-1");
      expect(stack?.terminationProtection).toBe(disposable === undefined);
      dispose();
    }
  });
});

describe("AWS WAF", () => {
  const rules = acl.Rules.map(({ Name, Statement: { RateBasedStatement: counted }, Action }: typeof acl) => ({
    ...{ name: Name, limit: counted.Limit, counted, action: Action },
    regex: (counted.ScopeDownStatement.NotStatement?.Statement ?? counted.ScopeDownStatement).RegexMatchStatement,
  }));

  test("counts each IP address for a minute, by three rules, and lets everything else through", () => {
    expect(rules.map(({ name, limit }: typeof acl) => [name, limit])).toEqual([
      ["SignIn", 60],
      ["PublishedFiles", 1_500],
      ["AllElse", 300],
    ]);
    for (const { counted } of rules) expect(counted).toMatchObject({ AggregateKeyType: "IP", EvaluationWindowSec: 60 });
    expect(acl).toMatchObject({ Scope: "CLOUDFRONT", DefaultAction: { Allow: {} } });
    expect(rules[2].counted.ScopeDownStatement.NotStatement.Statement).toEqual(rules[1].counted.ScopeDownStatement);
  });

  test("follows the stage's own limit", () => {
    const changed = synthesiseApiEdge("staging", { apiEdge: { ...apiEdge, requestsPerMinute: 52 } });
    const limits = only(changed, "AWS::WAFv2::WebACL").Properties.Rules.map(
      ({ Statement }: typeof acl) => Statement.RateBasedStatement.Limit,
    );
    expect(limits).toEqual([10, 260, 52]);
  });

  test.each([
    ["/projects/my-game/files/index.html", true],
    ["/projects/my-game/files/%2e%2e/a", true],
    ["/projects/my-game/releases", false],
    ["/projects/my-game%2Ffiles/x", false],
    ["/projects%2Fmy-game/files/x", false],
    ["/projects/a/b/files/x", false],
    ["/projects/a%2Freleases/files/x", false],
    ["/oauth/token?/projects/a/files/", false],
  ])("the path %s has the limit of published files: %s", (path, isFile) => {
    expect(new RegExp(filesPattern).test(path)).toBe(isFile);
    expect(rules[1].regex).toMatchObject({
      RegexString: filesPattern,
      FieldToMatch: { UriPath: {} },
      TextTransformations: [{ Priority: 0, Type: "NONE" }],
    });
  });

  test("limits sign-ins and device requests however their path is escaped, and no poll of a device", () => {
    const matches = (path: string) => new RegExp(signInPattern).test(decodeURIComponent(path));
    expect(["/auth/session", "/auth%2Fsession", "/oauth/device_authorization"].map(matches)).toEqual([
      true,
      true,
      true,
    ]);
    expect(["/oauth/token", "/auth/session/x", "/x/auth/session"].map(matches)).toEqual([false, false, false]);
    expect(rules[0].regex).toMatchObject({
      RegexString: signInPattern,
      TextTransformations: [{ Priority: 0, Type: "URL_DECODE" }],
    });
    expect(routes.exchangeGrant.path).toBe("/oauth/token");
  });

  test("refuses with 429 as the contract describes it, when to try again, and for pages of every origin", () => {
    const { ContentType: type, Content: content } = acl.CustomResponseBodies.refusal;
    expect(type).toBe("APPLICATION_JSON");
    expect(gatewayError.parse(JSON.parse(content))).toEqual(addressRefusal.body);
    for (const { action } of rules) {
      const {
        CustomResponseBodyKey: key,
        ResponseCode: status,
        ResponseHeaders: headers,
      } = action.Block.CustomResponse;
      expect([key, status]).toEqual(["refusal", 429]);
      expect(headers).toEqual([
        { Name: "retry-after", Value: "60" },
        { Name: "cache-control", Value: "no-store" },
        { Name: "access-control-allow-origin", Value: "*" },
        { Name: "access-control-expose-headers", Value: expect.stringContaining("retry-after") },
      ]);
    }
  });

  test("keeps no sample of a request, which would have its token", () => {
    for (const { VisibilityConfig } of [acl, ...acl.Rules]) expect(VisibilityConfig.SampledRequestsEnabled).toBe(false);
    expect(ofType(edge, "AWS::WAFv2::LoggingConfiguration")).toEqual([]);
  });
});

describe("API Gateway behind it", () => {
  const before = synthesise("staging", { domain });
  const { isOnlyWay: _, ...besides } = apiEdge;
  const domainOf = (resources: typeof before) => only(resources, "AWS::ApiGatewayV2::DomainName").Properties;
  const closed = synthesise("staging", { domain, apiEdge });

  test("is as without it until the name leads to the distribution", () => {
    expect(synthesise("staging", { domain, apiEdge: besides })).toEqual(before);
  });

  test("then demands the distribution's client certificate, and nothing else changes", () => {
    const id = Object.keys(closed).find((each) => closed[each]?.Type === "AWS::ApiGatewayV2::DomainName") ?? "";
    const { MutualTlsAuthentication: mutual, ...others } = domainOf(closed);
    expect(mutual).toEqual({
      TruststoreUri: expect.stringMatching(/^s3:\/\/cdk-hnb659fds-assets-111111111111-us-east-1\/[0-9a-f]{64}\.pem$/),
    });
    expect({ ...closed, [id]: { ...closed[id], Properties: others } }).toEqual(before);
    expect(only(closed, "AWS::ApiGatewayV2::Api").Properties.DisableExecuteApiEndpoint).toBe(true);
  });

  test("is told another trust store if the authority changes", () => {
    const authority = `${apiEdge.authority}\n${apiEdge.authority}`;
    const uri = (resources: typeof before) => domainOf(resources).MutualTlsAuthentication.TruststoreUri;
    expect(uri(synthesise("staging", { domain, apiEdge: { ...apiEdge, authority } }))).not.toBe(uri(closed));
  });
});

test("its alarms are in us-east-1, and tell the stage's address", () => {
  const alarms = ofType(synthesiseApiEdge("staging", withApiEdge("staging", "eu-west-1")), "AWS::CloudWatch::Alarm");
  const rows = alarms.map(({ Properties: alarm }) => [
    alarm.AlarmName,
    [alarm.Threshold, alarm.DatapointsToAlarm ?? 1, alarm.EvaluationPeriods].join(" "),
    alarm.Metrics?.[0].Expression ?? alarm.MetricName,
  ]);
  expect(rows).toEqual([
    ["svc-staging-ApiEdgeFailing", "1 1 1", "IF(rate * requests >= 500, rate, 0)"],
    ["svc-staging-ApiEdgeRefusing", "1000 1 1", "BlockedRequests"],
    ["svc-staging-ApiEdgeCertificateEnding", "1 1 1", "IF(days <= 30, 1, 0)"],
  ]);
  const guide = readFileSync("docs/operations/looking.md", "utf8");
  for (const [name = ""] of rows) expect(guide).toContain(`\n| ${name.replace("svc-staging-", "")} | `);
  const [failing, refusing] = alarms;
  const watched = failing?.Properties.Metrics.flatMap(({ MetricStat }: Resource["Properties"]) => MetricStat ?? []);
  expect(watched.map(({ Metric }: Resource["Properties"]) => [Metric.MetricName, Metric.Dimensions])).toEqual(
    ["5xxErrorRate", "Requests"].map((name) => [
      name,
      [
        { Name: "DistributionId", Value: { Ref: expect.stringMatching(/^Distribution/) } },
        { Name: "Region", Value: "Global" },
      ],
    ]),
  );
  expect(refusing?.Properties.Dimensions).toEqual([
    { Name: "Rule", Value: "ALL" },
    { Name: "WebACL", Value: acl.VisibilityConfig.MetricName },
  ]);
  expect(only(edge, "AWS::SNS::Subscription").Properties.Endpoint).toBe(stages["staging"]?.alarmEmail);
  expect(JSON.stringify(only(edge, "AWS::SNS::TopicPolicy").Properties)).toContain(
    "arn:aws:cloudwatch:us-east-1:111111111111:alarm:svc-staging-*",
  );
});
