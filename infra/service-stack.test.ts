import { afterEach, expect, test } from "@jest/globals";
import { Annotations, Match } from "aws-cdk-lib/assertions";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { createApp, synthesise, type TestApp } from "../test/support/synthesis.ts";
import { ServiceStack } from "./service-stack.ts";
import { readStage } from "./stage.ts";
import { stages } from "./stages.ts";

let made: TestApp | undefined;

afterEach(() => made?.dispose());

test("a function with IDP_AUTH_EMULATOR_HOST in its environment is refused at synth", () => {
  made = createApp();
  const { app, code, dashboard } = made;
  const stack = new ServiceStack(app, { stage: readStage("staging", stages), code, dashboard });
  const lambda = stack.node.findChild("GetMe").node.findChild("Function") as LambdaFunction;
  lambda.addEnvironment("IDP_AUTH_EMULATOR_HOST", "localhost:9099");
  expect(() => app.synth()).toThrow("svc-staging/GetMe/Function/Resource has IDP_AUTH_EMULATOR_HOST");
});

test.each([
  [{ gamesDomain: "games.example.net" }, 1],
  [{ gamesDomain: "games.example.net", gamesDomainIsPublicSuffix: true }, 0],
  [{}, 0],
])("with %j synth warns %d times that games can set cookies for each other", (changes, times) => {
  made = createApp();
  const { app, code, dashboard } = made;
  const stage = readStage("staging", { staging: { ...stages["staging"], ...changes } });
  const stack = new ServiceStack(app, { stage, code, dashboard });
  expect(Annotations.fromStack(stack).findWarning("*", Match.stringLikeRegexp("cookies for all games"))).toHaveLength(
    times,
  );
});

test("the template is the one that was reviewed", () => {
  // The name of a bundle's archive is the digest of its content.
  const withoutDigests = JSON.parse(JSON.stringify(synthesise("staging")).replace(/[0-9a-f]{64}\.zip/g, "BUNDLE.zip"));
  expect(withoutDigests).toMatchSnapshot();
});
