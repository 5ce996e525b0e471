import { describe, expect, test } from "@jest/globals";
import { withGames } from "../../test/support/synthesis/settings.ts";
import { ofType, only, synthesise, synthesiseGamesOrigin } from "../../test/support/synthesis.ts";
import { gamesLifetimes, originHeaders } from "./games-policies.ts";

const reportUrl = "mailto:abuse@example.com?subject={slug}";
const staging = synthesise("staging", { ...withGames("staging"), reportUrl, dashboard: undefined });
const { DistributionConfig: config } = only(staging, "AWS::CloudFront::Distribution").Properties;
const [origin] = config.Origins;
const behavior = config.DefaultCacheBehavior;

describe("the games' distribution", () => {
  test("has every host below the games domain, over https alone, and no other origins than the bucket and the API", () => {
    expect(config).toMatchObject({
      Aliases: ["*.github.io"],
      HttpVersion: "http2and3",
      ViewerCertificate: { AcmCertificateArn: withGames("staging").gamesDomain.certificateArn },
    });
    expect(config.Origins).toHaveLength(2);
    expect(config.CacheBehaviors.map(({ PathPattern }: { PathPattern: string }) => PathPattern)).toEqual([
      ...["/.well-known/svc/reports/*", "/.well-known/svc/saves/*", "/.well-known/svc/files/*", "/.well-known/svc/*"],
    ]);
    expect(config.Logging).toBeUndefined();
  });

  test("passes every request through the viewer's functions, and misses through the origin's", () => {
    const functions = ofType(staging, "AWS::CloudFront::Function");
    expect(functions.map(({ Properties }) => Properties.Name)).toEqual([
      "svc-staging-games-viewer-request",
      "svc-staging-games-viewer-response",
      "svc-staging-games-viewer-own",
    ]);
    const [, , content, own] = config.CacheBehaviors;
    expect(content).toEqual({ ...behavior, PathPattern: "/.well-known/svc/files/*" });
    expect(own).toEqual({ ...behavior, PathPattern: "/.well-known/svc/*", FunctionAssociations: expect.anything() });
    const arnsOf = ({ FunctionAssociations }: typeof behavior) =>
      FunctionAssociations.map(({ FunctionARN }: { FunctionARN: { "Fn::GetAtt": string[] } }) =>
        FunctionARN["Fn::GetAtt"][0]?.replace(/[0-9A-F]{8}$/, ""),
      );
    expect([arnsOf(behavior), arnsOf(own)]).toEqual([
      ["GamesViewerRequest", "GamesViewerResponse"],
      ["GamesViewerOwn", "GamesViewerResponse"],
    ]);
    for (const { Properties } of functions) {
      expect(Properties.FunctionConfig.KeyValueStoreAssociations).toEqual([
        { KeyValueStoreARN: { "Fn::GetAtt": [expect.stringMatching(/^GamesPointers/), "Arn"] } },
      ]);
      expect(Properties.FunctionCode).toContain('"github.io"');
      expect(Properties.AutoPublish).toBe(true);
    }
    expect(behavior.FunctionAssociations.map(({ EventType }: { EventType: string }) => EventType)).toEqual([
      "viewer-request",
      "viewer-response",
    ]);
    const arn = {
      "Fn::GetStackOutput": {
        StackName: expect.stringMatching(/^svc-staging-games-[0-9a-f]{8}$/),
        OutputName: "GamesOrigin",
        Region: "us-east-1",
      },
    };
    expect(behavior.LambdaFunctionAssociations).toEqual([
      { EventType: "origin-request", LambdaFunctionARN: arn },
      { EventType: "origin-response", LambdaFunctionARN: arn },
    ]);
    expect(behavior).toMatchObject({ Compress: false, ViewerProtocolPolicy: "redirect-to-https" });
    expect(behavior.AllowedMethods).toContain("DELETE");
  });

  test("passes reports of crashes on to the API over https, by no function, with nothing of the player, and keeps no response", () => {
    const [bucket, api] = config.Origins;
    const [reports] = config.CacheBehaviors;
    expect(api).toEqual({
      Id: expect.any(String),
      DomainName: { "Fn::Select": [2, { "Fn::Split": ["/", { "Fn::GetAtt": [expect.anything(), "ApiEndpoint"] }] }] },
      CustomOriginConfig: { OriginProtocolPolicy: "https-only", OriginSSLProtocols: ["TLSv1.2"] },
    });
    expect(bucket.S3OriginConfig).toBeDefined();
    expect(reports).toEqual({
      ...{ PathPattern: "/.well-known/svc/reports/*", TargetOriginId: api.Id, Compress: false },
      ...{ AllowedMethods: behavior.AllowedMethods, ViewerProtocolPolicy: "https-only" },
      // Managed by CloudFront: CachingDisabled.
      CachePolicyId: "4135ea2d-6df8-44a3-9df3-4b5a84be39ad",
      ResponseHeadersPolicyId: behavior.ResponseHeadersPolicyId,
    });
  });

  test("sends HSTS and no cache tag, with errors too", () => {
    const [, , own] = config.CacheBehaviors;
    const policy = { Ref: expect.stringMatching(/^GamesResponseHeadersPolicy/) };
    expect([behavior.ResponseHeadersPolicyId, own.ResponseHeadersPolicyId]).toEqual([policy, policy]);
    const policies = ofType(staging, "AWS::CloudFront::ResponseHeadersPolicy");
    expect(policies.map(({ Properties }) => Properties.ResponseHeadersPolicyConfig)).toEqual([
      {
        Name: "svc-staging-games",
        SecurityHeadersConfig: {
          StrictTransportSecurity: { AccessControlMaxAgeSec: 31_536_000, IncludeSubdomains: true, Override: true },
        },
        RemoveHeadersConfig: { Items: [{ Header: "cache-tag" }] },
      },
    ]);
  });

  test("caches by the URI alone, for as long as the response says, as the model of CloudFront does", () => {
    expect(only(staging, "AWS::CloudFront::CachePolicy").Properties.CachePolicyConfig).toMatchObject({
      DefaultTTL: gamesLifetimes.default,
      MaxTTL: gamesLifetimes.maximum,
      MinTTL: gamesLifetimes.minimum,
      ParametersInCacheKeyAndForwardedToOrigin: {
        CookiesConfig: { CookieBehavior: "none" },
        EnableAcceptEncodingBrotli: false,
        EnableAcceptEncodingGzip: false,
        HeadersConfig: { HeaderBehavior: "none" },
        QueryStringsConfig: { QueryStringBehavior: "none" },
      },
    });
    expect(only(staging, "AWS::CloudFront::OriginRequestPolicy").Properties.OriginRequestPolicyConfig).toMatchObject({
      CookiesConfig: { CookieBehavior: "none" },
      HeadersConfig: { HeaderBehavior: "whitelist", Headers: [...originHeaders] },
      QueryStringsConfig: { QueryStringBehavior: "none" },
    });
    expect(
      Object.fromEntries(
        config.CustomErrorResponses.map((each: Record<string, number>) => [
          each["ErrorCode"],
          each["ErrorCachingMinTTL"],
        ]),
      ),
    ).toEqual(gamesLifetimes.errors);
    expect(config.CacheTagConfig).toEqual({ HeaderName: "cache-tag" });
  });

  test("signs its requests to the bucket, behind Origin Shield, and tells the function where the API is and games are reported", () => {
    expect(origin).toMatchObject({
      OriginAccessControlId: { "Fn::GetAtt": [expect.any(String), "Id"] },
      OriginShield: { Enabled: true, OriginShieldRegion: "us-east-1" },
      OriginCustomHeaders: [
        { HeaderName: "x-svc-table", HeaderValue: { Ref: expect.stringMatching(/^Table/) } },
        { HeaderName: "x-svc-games-domain", HeaderValue: "github.io" },
        { HeaderName: "x-svc-api", HeaderValue: { "Fn::GetAtt": [expect.stringMatching(/^ApiHttp/), "ApiEndpoint"] } },
        { HeaderName: "x-svc-files", HeaderValue: { "Fn::Join": ["", ["https://", expect.anything()]] } },
        { HeaderName: "x-svc-option-pages", HeaderValue: "/.well-known/svc/profile /.well-known/svc/saves" },
        { HeaderName: "x-svc-report-url", HeaderValue: reportUrl },
      ],
    });
    const certificateArn = "arn:aws:acm:us-east-1:111111111111:certificate/2";
    const milan = synthesise("staging", {
      gamesDomain: { name: "github.io", certificateArn, isPublicSuffix: true },
      region: "eu-south-1",
      dashboard: undefined,
    });
    const [{ OriginShield: shield }] = only(milan, "AWS::CloudFront::Distribution").Properties.DistributionConfig
      .Origins;
    expect(shield.OriginShieldRegion).toBe("eu-central-1");
  });

  test("is the only one that the bucket lets read without a role of ours, and only read", () => {
    const { Statement: statements } = ofType(staging, "AWS::S3::BucketPolicy")
      .map(({ Properties }) => Properties.PolicyDocument)
      .find(({ Statement }) => JSON.stringify(Statement).includes("WriteOnce"));
    const services = statements.filter(({ Principal }: { Principal: { Service?: string } }) => Principal.Service);
    expect(services).toHaveLength(1);
    expect(services[0]).toMatchObject({
      Action: "s3:GetObject",
      Effect: "Allow",
      Principal: { Service: "cloudfront.amazonaws.com" },
      Condition: { StringEquals: { "AWS:SourceArn": expect.anything() } },
    });
  });

  test("is there only if a stage has a games domain", () => {
    const without = synthesise("staging", { dashboard: undefined });
    for (const { Type } of Object.values(without)) expect(Type).not.toMatch(/CloudFront/);
  });

  test("is the play_url of the API, and the key-value store that publishing writes", () => {
    const variables = ofType(staging, "AWS::Lambda::Function").map(
      ({ Properties }) => Properties.Environment?.Variables ?? {},
    );
    const domains = variables.flatMap(({ GAMES_DOMAIN }) => GAMES_DOMAIN ?? []);
    expect(new Set(domains)).toEqual(new Set(["github.io"]));
    const stores = variables.flatMap(({ GAMES_STORE_ARN }) => GAMES_STORE_ARN ?? []);
    expect(stores.length).toBeGreaterThan(1);
    expect(new Set(stores.map((store) => JSON.stringify(store))).size).toBe(1);
  });
});

describe("Lambda@Edge of the games", () => {
  test("has what it may have there, and its role what it needs", () => {
    const resources = synthesiseGamesOrigin("staging");
    const { Properties: lambda, DeletionPolicy } = only(resources, "AWS::Lambda::Function");
    expect(DeletionPolicy).toBe("RetainExceptOnCreate");
    expect(lambda).toMatchObject({ Architectures: ["x86_64"], Runtime: "nodejs24.x", Timeout: 10, MemorySize: 512 });
    for (const name of ["FunctionName", "Environment", "TracingConfig", "VpcConfig"])
      expect(lambda).not.toHaveProperty(name);
    expect(only(resources, "AWS::Lambda::Version").DeletionPolicy).toBe("RetainExceptOnCreate");
    const role = only(resources, "AWS::IAM::Role").Properties;
    expect(role.AssumeRolePolicyDocument.Statement).toEqual([
      expect.objectContaining({ Principal: { Service: ["edgelambda.amazonaws.com", "lambda.amazonaws.com"] } }),
    ]);
    expect(role.PermissionsBoundary).toBeDefined();
    const { Statement: statements } = only(resources, "AWS::IAM::Policy").Properties.PolicyDocument;
    const table = "arn:aws:dynamodb:us-east-1:111111111111:table/svc-staging-Table*";
    const leading = (...keys: string[]) => ({ "ForAllValues:StringLike": { "dynamodb:LeadingKeys": keys } });
    expect(
      statements.map((each: Record<string, unknown>) => [each["Action"], each["Resource"], each["Condition"]]),
    ).toEqual([
      [
        "s3:GetObject",
        [
          "arn:aws:s3:::svc-staging-files*/facts/*",
          "arn:aws:s3:::svc-staging-files*/projects/*/files/*",
          "arn:aws:s3:::svc-staging-files*/projects/*/manifests/*",
        ],
        // Nobody else's bucket of such a name.
        { StringEquals: { "aws:ResourceAccount": "111111111111" } },
      ],
      [["dynamodb:BatchGetItem", "dynamodb:Query"], table, leading("AUTHOR#*", "PROJECT#*")],
      ["dynamodb:PutItem", table, leading("POINTER#*")],
      [
        ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"],
        "arn:aws:logs:*:111111111111:log-group:/svc/staging/games-origin*",
        undefined,
      ],
    ]);
  });
});

test("Lambda@Edge logs in a group that expires, which the stage makes if it is in the region of Origin Shield", () => {
  const games = { ...withGames("staging"), logRetentionDays: 14, dashboard: undefined };
  const originLog = (changes: object) =>
    ofType(synthesise("staging", { ...games, ...changes }), "AWS::Logs::LogGroup").filter(
      ({ Properties }) => Properties.LogGroupName !== undefined,
    );
  expect(originLog({})).toMatchObject([
    { Properties: { LogGroupName: "/svc/staging/games-origin", RetentionInDays: 14 }, DeletionPolicy: "Delete" },
  ]);
  expect(originLog({ region: "eu-west-3" })).toEqual([]);
  const origin = synthesiseGamesOrigin("staging");
  expect(only(origin, "AWS::Lambda::Function").Properties.LoggingConfig).toEqual({
    LogGroup: "/svc/staging/games-origin",
  });
  expect(ofType(origin, "AWS::Logs::LogGroup")).toEqual([]);
});
