import { expect, test } from "@jest/globals";
import { createApp, ofType, synthesise } from "../test/support/synthesis.ts";
import { ServiceStack } from "./service-stack.ts";
import { readStage } from "./stage.ts";
import { stages } from "./stages.ts";

/* Properties that otherwise only the template's snapshot checks, in which a person could overlook a change. */

const staging = synthesise("staging");

test.each([
  [{}, true],
  [{ disposable: true }, false],
])("with %j a stack cannot be deleted by mistake: %s", (changes, isProtected) => {
  const { app, code, dashboard, dispose } = createApp();
  const stage = readStage("staging", { staging: { ...stages["staging"], ...changes } });
  expect(new ServiceStack(app, { stage, code, dashboard }).terminationProtection).toBe(isProtected);
  dispose();
});

test("an issuer must be https: who can change its keys in transit can sign in as anybody", () => {
  const { identityProvider, ...rest } = stages["staging"] ?? {};
  const stage = { ...rest, identityProvider: { ...identityProvider, issuer: "http://issuer.example.com" } };
  expect(() => readStage("staging", { staging: stage })).toThrow("identityProvider.issuer must be an https URL");
});

test("functions have enough memory and time, and end before API Gateway's time-out", () => {
  const ofRoutes = ofType(staging, "AWS::Lambda::Function").filter(({ Properties }) => Properties.FunctionName);
  const sizes = ofRoutes.map(({ Properties }) => [
    Properties.FunctionName.replace("svc-staging-", ""),
    `${Properties.MemorySize} MB, ${Properties.Timeout} s`,
  ]);
  const {
    "create-release": opening,
    "publish-release": publishing,
    "open-preview": previewing,
    "continue-upload": completing,
    "create-uploads": uploads,
    "deliver-notices": _,
    sweep: __,
    ...others
  } = Object.fromEntries(sizes);
  expect([opening, publishing, previewing, completing]).toEqual(Array(4).fill("1769 MB, 29 s"));
  expect(uploads).toBe("1769 MB, 15 s");
  expect(new Set(Object.values(others))).toEqual(new Set(["1024 MB, 15 s"]));
});

test("objects are read over TLS 1.2 or later, and nobody but the account owns them", () => {
  for (const { Properties } of ofType(staging, "AWS::S3::BucketPolicy"))
    expect(Properties.PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({ Effect: "Deny", Condition: { NumericLessThan: { "s3:TlsVersion": 1.2 } } }),
    );
  for (const { Properties } of ofType(staging, "AWS::S3::Bucket"))
    expect(Properties.OwnershipControls.Rules).toEqual([{ ObjectOwnership: "BucketOwnerEnforced" }]);
});

test("logs are kept when the stack is deleted", () => {
  for (const log of ofType(staging, "AWS::Logs::LogGroup")) expect(log.DeletionPolicy).toBe("Retain");
});

test("the commit that is deployed is an output of the stack, if the pipeline names it", () => {
  const { app, code, dashboard, dispose } = createApp();
  app.node.setContext("commit", "0".repeat(40));
  const { stackName } = new ServiceStack(app, { stage: readStage("staging", stages), code, dashboard });
  expect(app.synth().getStackByName(stackName).template.Outputs.Commit.Value).toBe("0".repeat(40));
  dispose();
});
