import { afterEach, expect, test } from "@jest/globals";
import { Validations } from "aws-cdk-lib";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { AwsSolutionsChecks } from "cdk-nag";
import { serviceApp, synthesise } from "../test/support/synthesis.ts";
import { stages } from "./stages.ts";

let dispose = () => {};

afterEach(() => dispose());

test.each(Object.keys(stages))("%s passes CloudFormation's own rules and the AwsSolutions pack", (name) => {
  const made = serviceApp(name, {}, { rules: true });
  dispose = made.dispose;
  Validations.of(made.app).addPlugins(new AwsSolutionsChecks(made.app));
  expect(() => made.app.synth()).not.toThrow();
  expect(made.findings()).toEqual([]);
});

test("a function with IDP_AUTH_EMULATOR_HOST in its environment is refused at synth", () => {
  const made = serviceApp("staging");
  dispose = made.dispose;
  const lambda = made.stack.node.findChild("GetMe").node.findChild("Function") as LambdaFunction;
  lambda.addEnvironment("IDP_AUTH_EMULATOR_HOST", "localhost:9099");
  expect(() => made.app.synth()).toThrow("svc-staging/GetMe/Function/Resource has IDP_AUTH_EMULATOR_HOST");
});

test("the template is the one that was reviewed", () => {
  // The name of a bundle's archive is the digest of its content.
  const withoutDigests = JSON.parse(JSON.stringify(synthesise("staging")).replace(/[0-9a-f]{64}\.zip/g, "BUNDLE.zip"));
  expect(withoutDigests).toMatchSnapshot();
});
