import { expect, test } from "@jest/globals";
import { withUserPool } from "../../test/support/synthesis/settings.ts";
import { dashboardConfiguration, functionOf, ofType, only, synthesise } from "../../test/support/synthesis.ts";

/* `identityProvider: "cognito"`: the pool that a stage makes, and how API and dashboard are told of it. */

const settings = withUserPool("staging");
const staging = synthesise("staging", settings);
const [poolId = ""] = Object.entries(staging).find(([, { Type }]) => Type === "AWS::Cognito::UserPool") ?? [];
const [clientId = ""] = Object.entries(staging).find(([, { Type }]) => Type === "AWS::Cognito::UserPoolClient") ?? [];
const issuer = ["https://cognito-idp.us-east-1.amazonaws.com/", { Ref: poolId }];
const joined = (parts: readonly unknown[]) => ({ "Fn::Join": ["", parts] });

test("a stage whose provider is another one makes no pool", () => {
  expect(ofType(synthesise("staging"), "AWS::Cognito::UserPool")).toEqual([]);
});

test("the pool verifies addresses, keeps its users, and never tells who has one", () => {
  const { DeletionPolicy, UpdateReplacePolicy, Properties } = only(staging, "AWS::Cognito::UserPool");
  expect([DeletionPolicy, UpdateReplacePolicy, Properties.DeletionProtection]).toEqual(["Retain", "Retain", "ACTIVE"]);
  expect(Properties).toMatchObject({
    UserPoolName: "svc-staging",
    AutoVerifiedAttributes: ["email"],
    UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ["email"] },
    UsernameAttributes: ["email"],
    UsernameConfiguration: { CaseSensitive: false },
    AccountRecoverySetting: { RecoveryMechanisms: [{ Name: "verified_email", Priority: 1 }] },
    EnabledMfas: ["SOFTWARE_TOKEN_MFA"],
    MfaConfiguration: "OPTIONAL",
    Policies: { PasswordPolicy: { MinimumLength: 12 } },
  });
  expect(only(staging, "AWS::Cognito::UserPoolClient").Properties.PreventUserExistenceErrors).toBe("ENABLED");
});

test("the pool of a disposable stage is deleted with it", () => {
  const { DeletionPolicy, Properties } = only(
    synthesise("staging", { ...settings, disposable: true }),
    "AWS::Cognito::UserPool",
  );
  expect([DeletionPolicy, Properties.DeletionProtection]).toEqual(["Delete", "INACTIVE"]);
});

test("its client has no secret, and only the dashboard of the stage gets a code, for which it must have asked", () => {
  const { Properties } = only(staging, "AWS::Cognito::UserPoolClient");
  expect(Properties).toMatchObject({
    GenerateSecret: false,
    AllowedOAuthFlows: ["code"],
    AllowedOAuthScopes: ["openid", "email", "profile"],
    CallbackURLs: ["https://dashboard.staging.example.com/signed-in"],
    LogoutURLs: ["https://dashboard.staging.example.com/"],
    SupportedIdentityProviders: ["COGNITO"],
    RefreshTokenRotation: { Feature: "ENABLED", RetryGracePeriodSeconds: 60 },
  });
  // USER_PASSWORD_AUTH would take a password from anybody as it is; the flow of an administrator needs AWS credentials.
  expect(Properties.ExplicitAuthFlows).toEqual(["ALLOW_ADMIN_USER_PASSWORD_AUTH", "ALLOW_USER_SRP_AUTH"]);
});

test("without a dashboard nobody signs in at a page, so there is none", () => {
  const resources = synthesise("staging", { ...settings, dashboard: false });
  expect(ofType(resources, "AWS::Cognito::UserPoolDomain")).toEqual([]);
  expect(ofType(resources, "AWS::Cognito::ManagedLoginBranding")).toEqual([]);
  const { Properties } = only(resources, "AWS::Cognito::UserPoolClient");
  expect(Properties.AllowedOAuthFlowsUserPoolClient).toBe(false);
  expect(Properties).not.toHaveProperty("CallbackURLs");
});

test("the functions accept ID tokens of the pool for its client", () => {
  const [, { Properties }] = functionOf(staging, "createSession");
  expect(Properties.Environment.Variables).toMatchObject({
    IDP_ISSUER: joined(issuer),
    IDP_AUDIENCE: { Ref: clientId },
    IDP_JWKS_URI: joined([...issuer, "/.well-known/jwks.json"]),
  });
});

test("the dashboard signs in at the pool, and may send requests to issuer and token endpoint", () => {
  const configuration = dashboardConfiguration("staging", settings);
  expect(configuration).toMatchObject({ identityProvider: { kind: "openIdConnect" } });
  const { Domain, ManagedLoginVersion } = only(staging, "AWS::Cognito::UserPoolDomain").Properties;
  // The domain of every account of the region, and no word that Cognito refuses in it.
  expect(Domain).toMatch(/^svc-[0-9a-f]{16}$/);
  expect(ManagedLoginVersion).toBe(2);
  expect(only(staging, "AWS::Cognito::ManagedLoginBranding").Properties).toMatchObject({
    UserPoolId: { Ref: poolId },
    ClientId: { Ref: clientId },
    UseCognitoProvidedValues: true,
  });
  const policy = JSON.stringify(only(staging, "AWS::CloudFront::ResponseHeadersPolicy").Properties);
  expect(policy).toMatch(`https://cognito-idp.us-east-1.amazonaws.com https://`);
  expect(policy).toContain(`https://${Domain}.auth.us-east-1.amazoncognito.com`);
});
