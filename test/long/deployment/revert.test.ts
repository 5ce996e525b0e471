import "../../../programs/stack-options.ts";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { readStage } from "../../../infra/settings/stage.ts";
import { PipelineStack } from "../../../infra/stacks/pipeline-stack.ts";
import { stages } from "../../../infra/stages.ts";
import { CloudFormationModel, type Template } from "../../support/cloudformation-model.ts";
import { addStacksOf, createApp } from "../../support/synthesis/app.ts";
import { everyOption, withDomain } from "../../support/synthesis/settings.ts";

/* Deployments one after the other, on a model of CloudFormation with what stays when a stack is changed or deleted. */

const service = "svc-staging";

/** Every stack of a stage by its name, in the order in which they are deployed. */
function templatesOf(code: string): Map<string, Template> {
  const made = createApp();
  try {
    writeFileSync(join(made.code("games-origin"), "index.mjs"), code);
    const changes = { ...everyOption("staging"), ...withDomain("staging", "eu-west-3") };
    const stage = readStage("staging", { staging: { ...stages["staging"], ...changes } });
    const names = [new PipelineStack(made.app, stage).stackName, ...addStacksOf(made, stage)];
    const assembly = made.app.synth();
    return new Map(names.map((name) => [name, assembly.getStackByName(name).template]));
  } finally {
    made.dispose();
  }
}

const [first, second] = [templatesOf("1"), templatesOf("2")];
const of = (version: Map<string, Template>, stack: string) => version.get(stack) as Template;
/** Each code at the edge has a stack of its own. */
const gamesOf = (version: Map<string, Template>) =>
  [...version.keys()].find((name) => /^svc-staging-games-[0-9a-f]{8}$/.test(name)) ?? "";
const deployTo = (model: CloudFormationModel, version: Map<string, Template>, names = [gamesOf(version), service]) => {
  for (const name of names) model.deploy(name, of(version, name));
};
const only = (values: unknown[]) => new Set(values.map((value) => JSON.stringify(value)));
const codeIn = (version: Map<string, Template>) =>
  Object.values(of(version, gamesOf(version)).Resources).find(({ Type }) => Type === "AWS::Lambda::Function")
    ?.Properties.Code;

test("a revert after the code at the edge has changed can be deployed: version 1, 2, 1, 2", () => {
  const model = new CloudFormationModel();
  for (const version of [first, second, first, second]) {
    deployTo(model, version);
    expect(only(model.played(service))).toEqual(only([codeIn(version)]));
  }
  expect(codeIn(first)).not.toEqual(codeIn(second));
});

test("the stage cannot be deployed with code for which the edge has no function", () => {
  const model = new CloudFormationModel();
  expect(() => deployTo(model, first, [service])).toThrow(`${gamesOf(first)} does not exist`);
  deployTo(model, first);
  expect(() => deployTo(model, second, [service])).toThrow(`${gamesOf(second)} does not exist`);
  expect(only(model.played(service))).toEqual(only([codeIn(first)]));
});

test("an update of the stage that fails after the code at the edge has changed is undone", () => {
  const model = new CloudFormationModel();
  deployTo(model, first);
  model.deploy(gamesOf(second), of(second, gamesOf(second)));
  const { Resources } = of(second, service);
  const last = Object.keys(Resources).at(-1);
  expect(() => model.deploy(service, of(second, service), last)).toThrow(`${last} CREATE_FAILED`);
  expect(only(model.played(service))).toEqual(only([codeIn(first)]));
  deployTo(model, second);
  expect(only(model.played(service))).toEqual(only([codeIn(second)]));
});

test("a stage that was given up is made again, though what it stored stays", () => {
  const model = new CloudFormationModel();
  const names = [...first.keys()];
  deployTo(model, first, names);
  const types = () => [...model.existing.values()].map(({ type }) => type);
  for (const name of names.toReversed()) model.delete(name);
  expect(new Set(types())).toEqual(
    new Set([
      "AWS::Cognito::UserPool",
      "AWS::DynamoDB::GlobalTable",
      "AWS::Lambda::Function",
      "AWS::Logs::LogGroup",
      "AWS::S3::Bucket",
    ]),
  );
  deployTo(model, first, names);
  expect(types().filter((type) => type === "AWS::DynamoDB::GlobalTable")).toHaveLength(2);
});

test("a stage whose first creation failed leaves only what is protected from deletion, which the next deployment deletes", () => {
  const model = new CloudFormationModel();
  const names = [...first.keys()];
  deployTo(model, first, [gamesOf(first)]);
  const last = Object.keys(of(first, service).Resources).at(-1);
  const before = model.existing.size;
  expect(() => model.deploy(service, of(first, service), last)).toThrow("CREATE_FAILED");
  const left = [...model.existing.values()].slice(before).map(({ type }) => type);
  expect(left.toSorted()).toEqual(["AWS::Cognito::UserPool", "AWS::DynamoDB::GlobalTable"]);
  deployTo(
    model,
    first,
    names.filter((name) => name !== gamesOf(first)),
  );
});

/** The stage's own stack with all alarms in it, as it was before they had a stack of their own. */
function withAlarmsInside(): Template {
  const { Resources: alarms } = of(first, `${service}-monitoring`);
  const { Outputs, ...own } = of(first, service);
  const inside = JSON.stringify(alarms, (_, value) => {
    const output = value?.["Fn::GetStackOutput"];
    return output === undefined ? value : Outputs?.[output.OutputName]?.Value;
  });
  const outputs = Object.entries(Outputs ?? {}).filter(([name]) => !name.startsWith("PublishOutput"));
  return {
    Outputs: Object.fromEntries(outputs),
    Resources: { ...own.Resources, ...JSON.parse(inside.replaceAll(`"${service}-monitoring-`, `"${service}-`)) },
  };
}

test("a stage whose own stack has all alarms gets a stack of them, can go back while that is there, and forward again", () => {
  const model = new CloudFormationModel();
  const alarms = () => [...model.existing].filter(([, { type }]) => type === "AWS::CloudWatch::Alarm").length;
  deployTo(model, first, [gamesOf(first)]);
  model.deploy(service, withAlarmsInside());
  const all = alarms();
  const present = [service, `${service}-games-log`, `${service}-alarms`, `${service}-monitoring`];
  deployTo(model, first, present);
  const ofAlarmsStack = alarms() - all;
  expect(all).toBeGreaterThan(25);
  model.deploy(service, withAlarmsInside());
  expect(alarms()).toBe(2 * all - 2 + ofAlarmsStack);
  deployTo(model, first, present);
  expect(alarms()).toBe(all + ofAlarmsStack);
});

const versionId = (version: Map<string, Template>) =>
  Object.entries(of(version, gamesOf(version)).Resources).find(([, { Type }]) => Type === "AWS::Lambda::Version")?.[0];

test("a games stack whose first creation failed leaves no function, and is made again", () => {
  const model = new CloudFormationModel();
  expect(() => model.deploy(gamesOf(first), of(first, gamesOf(first)), versionId(first))).toThrow("CREATE_FAILED");
  expect([...model.existing.values()].map(({ type }) => type)).not.toContain("AWS::Lambda::Function");
  deployTo(model, first);
});

test("a further games stack that failed changes nothing for players, and is made again", () => {
  const model = new CloudFormationModel();
  deployTo(model, first);
  expect(() => model.deploy(gamesOf(second), of(second, gamesOf(second)), versionId(second))).toThrow("CREATE_FAILED");
  expect(only(model.played(service))).toEqual(only([codeIn(first)]));
  deployTo(model, second);
  expect(only(model.played(service))).toEqual(only([codeIn(second)]));
});

test("the log of the games stays where the bucket's policy and the table expect it, also if its fields change", () => {
  const log = `${service}-games-log`;
  const model = new CloudFormationModel();
  deployTo(model, first, [gamesOf(first), service, log]);
  const former = of(first, log);
  const { Delivery } = former.Resources;
  if (Delivery === undefined) throw new Error("The stack has no delivery");
  const { RecordFields } = Delivery.Properties;
  const changed = {
    ...Delivery,
    Properties: { ...Delivery.Properties, RecordFields: [...RecordFields, "ssl-protocol"] },
  };
  const { Properties: table } = Object.values(of(first, service).Resources).find(
    ({ Type }) => Type === "AWS::Glue::Table",
  ) as { Properties: { TableInput: object } };
  const policies = JSON.stringify(of(first, service).Resources);
  for (const template of [former, { ...former, Resources: { ...former.Resources, Delivery: changed } }]) {
    model.deploy(log, template);
    expect(model.logPath(log)).toBe("log/{yyyy}/{MM}/{dd}/{HH}");
    expect(JSON.stringify(table.TableInput)).toMatch(/\/log\/\$\{day\}"/);
    expect(policies).toContain('"/log/*"');
  }
});
