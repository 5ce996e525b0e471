import { expect, test } from "@jest/globals";
import { changeAll } from "../../test/support/control-plane-model.ts";
import { withGames } from "../../test/support/synthesis/settings.ts";
import {
  dashboardConfiguration,
  dashboardPage,
  functionOf,
  ofType,
  only,
  type Resource,
  type Resources,
  synthesise,
} from "../../test/support/synthesis.ts";

const staging = synthesise("staging");
const production = synthesise("production");

/** The text of an Fn::Join, with the logical id for each reference. */
function joined(value: Resource["Properties"]): string {
  if (typeof value === "string") return value;
  if (value["Fn::Join"]) return value["Fn::Join"][1].map(joined).join("");
  return `<${value.Ref ?? value["Fn::GetAtt"].join(".")}>`;
}

function policyOf(resources: Resources): Record<string, string[]> {
  const { ResponseHeadersPolicyConfig: config } = only(resources, "AWS::CloudFront::ResponseHeadersPolicy").Properties;
  const text = joined(config.SecurityHeadersConfig.ContentSecurityPolicy.ContentSecurityPolicy);
  return Object.fromEntries(
    text
      .split("; ")
      .map((part) => part.split(" "))
      .map(([name, ...rest]) => [name, rest]),
  );
}

test("only the distribution reads the bucket, by origin access control", () => {
  const [id, distribution] =
    Object.entries(staging).find(([, { Type }]) => Type === "AWS::CloudFront::Distribution") ?? [];
  const [origin, ...others] = distribution?.Properties.DistributionConfig.Origins ?? [];
  expect(others).toEqual([]);
  expect(origin).toMatchObject({
    OriginAccessControlId: { "Fn::GetAtt": [expect.any(String), "Id"] },
    S3OriginConfig: { OriginAccessIdentity: "" },
  });
  const bucket = origin.DomainName["Fn::GetAtt"][0];
  const policy = ofType(staging, "AWS::S3::BucketPolicy").find(({ Properties }) => Properties.Bucket.Ref === bucket);
  const allowed = policy?.Properties.PolicyDocument.Statement.filter(
    ({ Effect }: { Effect: string }) => Effect === "Allow",
  );
  const sourceArn = allowed[0].Condition.StringEquals["AWS:SourceArn"];
  expect(joined(sourceArn)).toBe(`arn:<AWS::Partition>:cloudfront::<AWS::AccountId>:distribution/<${id}>`);
  expect(allowed).toEqual([
    {
      Action: "s3:GetObject",
      Condition: { StringEquals: { "AWS:SourceArn": sourceArn } },
      Effect: "Allow",
      Principal: { Service: "cloudfront.amazonaws.com" },
      Resource: { "Fn::Join": ["", [{ "Fn::GetAtt": [bucket, "Arn"] }, "/*"]] },
    },
  ]);
});

test("the page is reached only over https at its own name, with headers against frames, sniffing and referrers", () => {
  const { DistributionConfig: config } = only(production, "AWS::CloudFront::Distribution").Properties;
  expect(config).toMatchObject({
    Aliases: ["dashboard.example.com"],
    HttpVersion: "http2and3",
    ViewerCertificate: { MinimumProtocolVersion: "TLSv1.2_2025", SslSupportMethod: "sni-only" },
    DefaultCacheBehavior: { ViewerProtocolPolicy: "redirect-to-https", Compress: true },
  });
  const { ResponseHeadersPolicyConfig: headers } = only(
    production,
    "AWS::CloudFront::ResponseHeadersPolicy",
  ).Properties;
  expect(headers.SecurityHeadersConfig).toMatchObject({
    ContentTypeOptions: { Override: true },
    FrameOptions: { FrameOption: "DENY", Override: true },
    ReferrerPolicy: { ReferrerPolicy: "no-referrer", Override: true },
    StrictTransportSecurity: { AccessControlMaxAgeSec: 31_536_000, IncludeSubdomains: true, Override: true },
  });
  expect(headers.CustomHeadersConfig.Items.map(({ Header }: { Header: string }) => Header)).toEqual([
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "permissions-policy",
  ]);
});

test("the policy of a page that signs in by OpenID Connect allows only the API and the provider", () => {
  expect(policyOf(production)).toEqual({
    "default-src": ["'none'"],
    "script-src": ["'self'", "'wasm-unsafe-eval'"],
    "worker-src": ["'self'"],
    "style-src": ["'self'"],
    "img-src": ["'self'", "https:"],
    "connect-src": [
      "'self'",
      "https://api.example.com",
      "https://cognito-idp.us-east-1.amazonaws.com",
      expect.stringMatching(/^https:\/\/<Files\w{8}>\.s3\.us-east-1\.amazonaws\.com$/),
      "https://svc-production.auth.us-east-1.amazoncognito.com",
      "https://api.github.com",
      "https://gitlab.com",
    ],
    "frame-src": ["'none'"],
    "frame-ancestors": ["'none'"],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
    "require-trusted-types-for": ["'script'"],
    "trusted-types": ["svc-worker"],
  });
});

test("the policy of a page that signs in with Firebase allows its library's hosts and the API", () => {
  const policy = policyOf(staging);
  expect(policy["script-src"]).toEqual(["'self'", "'wasm-unsafe-eval'", "https://apis.google.com"]);
  expect(policy["connect-src"]).toEqual([
    "'self'",
    expect.stringMatching(/^<ApiHttp\w+\.ApiEndpoint>$/),
    "https://identitytoolkit.googleapis.com",
    "https://securetoken.googleapis.com",
    expect.stringMatching(/^https:\/\/<Files\w{8}>\.s3\.us-east-1\.amazonaws\.com$/),
    "https://api.github.com",
    "https://gitlab.com",
  ]);
  expect(policy["frame-src"]).toEqual(["https://svc-staging.firebaseapp.com"]);
  expect(policy["frame-ancestors"]).toEqual(["'none'"]);
});

test("the page reads where the API and games are, who signs people in, which other servers run jobs, and how long tokens last", () => {
  const jobIssuers = { gitlab: ["https://gitlab.example.com"] };
  expect(dashboardConfiguration("production", { ...withGames("production"), jobIssuers, maxTokenDays: 30 })).toEqual({
    api: "https://api.example.com",
    stage: "production",
    commandLine: "https://dashboard.example.com/svc.tgz",
    games: "https://{slug}.github.io/",
    operator: {
      name: "Example Games",
      terms: "https://example.com/terms",
      privacy: "https://example.com/privacy",
      status: "https://status.example.com/",
      contact: "mailto:svc@example.com",
    },
    jobIssuers,
    maxTokenDays: 30,
    identityProvider: {
      kind: "openIdConnect",
      issuer: expect.stringMatching(/^https:\/\/cognito-idp\./),
      clientId: expect.any(String),
    },
  });
});

test("assets are copied first and cached for a year, the page after them and never cached", () => {
  const copies = Object.entries(staging).filter(([, { Type }]) => Type === "Custom::CDKBucketDeployment");
  const [assets, page] = ["Assets", "Page"].map((name) => copies.find(([id]) => id.startsWith(`DashboardSite${name}`)));
  expect(copies).toHaveLength(2);
  expect(assets?.[1].Properties).toMatchObject({
    SystemMetadata: { "cache-control": "public, max-age=31536000, immutable" },
    Exclude: ["*"],
    Include: ["assets/*"],
    Prune: false,
  });
  expect(page?.[1].Properties).toMatchObject({
    SystemMetadata: { "cache-control": "no-cache" },
    Exclude: ["assets/*"],
    Prune: false,
  });
  expect(page?.[1].DependsOn).toContain(assets?.[0]);
  // The page, the configuration, and the two files that agents read, have the API's URL.
  const { SourceMarkers } = page?.[1].Properties ?? {};
  expect(SourceMarkers).toHaveLength(5);
  for (const markers of SourceMarkers.slice(1))
    expect(markers).toMatchObject({
      "<<marker:0xbaba:0>>": { "Fn::GetAtt": [expect.stringMatching(/^ApiHttp/), "ApiEndpoint"] },
    });
});

test("the page names its card's picture by the whole URL of its stage, also if only the deployment knows its host", () => {
  expect(dashboardPage("production")).toMatch(/^<!doctype html>https:\/\/dashboard\.example\.com\/card\.png</);
  expect(dashboardPage("staging", small)).toMatch(/^<!doctype html>https:\/\/<<marker:0xbaba:0>>\/card\.png</);
  const resources = synthesise("staging", small);
  const [id] = Object.entries(resources).find(([, { Type }]) => Type === "AWS::CloudFront::Distribution") ?? [];
  const copies = ofType(resources, "Custom::CDKBucketDeployment").map(({ Properties }) => Properties.SourceMarkers);
  const host = { "Fn::GetAtt": [id, "DomainName"] };
  const ofPage = expect.objectContaining({ "<<marker:0xbaba:0>>": host });
  expect(copies.map((markers = []) => markers.at(-1))).toContainEqual(ofPage);
});

test("the page has the stage's configuration in it", () => {
  const [, data = ""] = /id="configuration">(.*)<\/script>/.exec(dashboardPage("production") ?? "") ?? [];
  expect(JSON.parse(data)).toEqual(dashboardConfiguration("production"));
});

/** A stage that says nothing of a dashboard. */
const small = { identityProvider: "cognito", dashboard: undefined, webOrigins: [] };

test("a stage without host names has its dashboard at CloudFront's, where the user pool sends people back to", () => {
  const resources = synthesise("staging", small);
  const { DistributionConfig } = only(resources, "AWS::CloudFront::Distribution").Properties;
  expect(DistributionConfig).not.toHaveProperty("Aliases");
  expect(DistributionConfig).not.toHaveProperty("ViewerCertificate");
  const [id] = Object.entries(resources).find(([, { Type }]) => Type === "AWS::CloudFront::Distribution") ?? [];
  const origin = `https://<${id}.DomainName>`;
  const { CallbackURLs, LogoutURLs } = only(resources, "AWS::Cognito::UserPoolClient").Properties;
  expect([CallbackURLs, LogoutURLs].map(([url]) => joined(url))).toEqual([`${origin}/signed-in`, `${origin}/`]);
  // The command line sends people there to approve it.
  const [, metadata] = functionOf(resources, "getAuthorizationServer");
  expect(joined(metadata.Properties.Environment.Variables.DASHBOARD_ORIGIN)).toBe(origin);
  expect(ofType(resources, "AWS::Cognito::ManagedLoginBranding")).toHaveLength(1);
  const bucket = ofType(resources, "AWS::S3::Bucket").find(({ Properties }) => Properties.CorsConfiguration);
  const uploads = bucket?.Properties.CorsConfiguration.CorsRules.find(
    ({ AllowedMethods }: { AllowedMethods: string[] }) => AllowedMethods.includes("PUT"),
  );
  expect(uploads.AllowedOrigins).toEqual(["https://*.cloudfront.net"]);
});

test("its resources depend on each other in no circle", () => {
  expect(changeAll(synthesise("staging", small), "create")).toBeGreaterThan(0);
});

test("a stage of Firebase has no dashboard without the values that only Firebase's console has", () => {
  expect(ofType(synthesise("staging", { dashboard: undefined }), "AWS::CloudFront::Distribution")).toEqual([]);
});

test("without a dashboard a stage has no distribution, and no function but its routes'", () => {
  const resources = synthesise("staging", { ...small, dashboard: false });
  expect(ofType(resources, "AWS::CloudFront::Distribution")).toEqual([]);
  for (const { Properties } of ofType(resources, "AWS::Lambda::Function"))
    expect(Properties.FunctionName).toMatch(/^svc-staging-/);
});
