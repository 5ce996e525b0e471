import "../../programs/stack-options.ts";
import { afterEach, expect, test } from "@jest/globals";
import { Aspects, CfnResource, type Stack } from "aws-cdk-lib";
import { Annotations, Match } from "aws-cdk-lib/assertions";
import { type CfnFunction, Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { createApp, stacksOf, type TestApp } from "../../test/support/synthesis/app.ts";
import { everyOption, withDomain, withGames } from "../../test/support/synthesis/settings.ts";
import { readStage } from "../settings/stage.ts";
import { stages } from "../stages.ts";
import { ServiceStack } from "./service-stack.ts";

let made: TestApp | undefined;

afterEach(() => made?.dispose());

const name = "IDP_AUTH_EMULATOR_HOST";
const getMe = (stack: Stack) =>
  stack.node.findChild("Default").node.findChild("GetMe").node.findChild("Function") as LambdaFunction;
const resourceOf = (stack: Stack) => getMe(stack).node.defaultChild as CfnFunction;
const functionProperties = { Environment: { Variables: { [name]: "localhost:9099" } } };

test.each<[string, (stack: Stack) => void]>([
  ["addEnvironment", (stack) => getMe(stack).addEnvironment(name, "localhost:9099")],
  ["addPropertyOverride", (stack) => resourceOf(stack).addPropertyOverride(`Environment.Variables.${name}`, "a:1")],
  ["addOverride", (stack) => resourceOf(stack).addOverride(`Properties.Environment.Variables.${name}`, "a:1")],
  [
    "a raw resource",
    (stack) => new CfnResource(stack, "Raw", { type: "AWS::Lambda::Function", properties: functionProperties }),
  ],
  [
    "an aspect",
    (stack) =>
      Aspects.of(stack).add({ visit: (node) => node instanceof LambdaFunction && node.addEnvironment(name, "a") }),
  ],
])("a stage into which %s brings IDP_AUTH_EMULATOR_HOST is not synthesised", (_, bring) => {
  made = createApp();
  const { app, code, dashboard } = made;
  const stack = new ServiceStack(app, { stage: readStage("staging", stages), code, dashboard });
  bring(stack);
  expect(() => app.synth()).toThrow();
  expect(JSON.stringify(made.findings())).toContain(`has ${name}, which accepts unsigned ID tokens`);
});

test.each([
  [{ gamesDomain: { ...withGames("staging").gamesDomain, isPublicSuffix: undefined } }, 1],
  [withGames("staging"), 0],
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

test.each([
  [{}, true],
  [{ disposable: true }, false],
])("with %j no stack can be deleted by mistake: %s", (changes, isProtected) => {
  made = createApp();
  const { app, code, dashboard } = made;
  const elsewhere = { ...everyOption("staging"), ...withDomain("staging", "eu-west-3") };
  const stage = readStage("staging", { staging: { ...stages["staging"], ...elsewhere, ...changes } });
  const stacks = stacksOf(new ServiceStack(app, { stage, code, dashboard }));
  expect(stacks.map(({ stackName, terminationProtection }) => [stackName, terminationProtection])).toEqual(
    [
      expect.stringMatching(/^svc-staging-games-[0-9a-f]{8}$/),
      "svc-staging",
      ...["svc-staging-games-log", "svc-staging-alarms", "svc-staging-monitoring"],
    ].map((name) => [name, isProtected]),
  );
});

test("the commit that is deployed is an output of the stack, if the pipeline names it", () => {
  const { app, code, dashboard, dispose } = createApp();
  app.node.setContext("commit", "0".repeat(40));
  const { stackName } = new ServiceStack(app, { stage: readStage("staging", stages), code, dashboard });
  expect(app.synth().getStackByName(stackName).template.Outputs.Commit.Value).toBe("0".repeat(40));
  dispose();
});
