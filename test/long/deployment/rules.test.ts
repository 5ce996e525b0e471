import { afterEach, expect, test } from "@jest/globals";
import { Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { addEveryStack, createApp, type TestApp } from "../../support/synthesis/app.ts";

let made: TestApp | undefined;

afterEach(() => made?.dispose());

test("the stacks of every stage pass CloudFormation's own rules and the AwsSolutions pack", () => {
  made = createApp({ rules: true });
  addEveryStack(made);
  Validations.of(made.app).addPlugins(new AwsSolutionsChecks(made.app));
  expect(() => made?.app.synth()).not.toThrow();
  expect(made.findings()).toEqual([]);
});
