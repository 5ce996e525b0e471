import "../../../programs/stack-options.ts";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { gamesSchedules, schedules } from "../../../infra/background/schedules.ts";
import { stages } from "../../../infra/stages.ts";
import { routes } from "../../support/routes.ts";
import { withDomain } from "../../support/synthesis/settings.ts";

const cdk = JSON.parse(readFileSync("cdk.json", "utf8"));
const folder = mkdtempSync(join(tmpdir(), "svc-cdk-app-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface FunctionResource {
  readonly Type: string;
  readonly Properties: { readonly FunctionName?: string; readonly Code: { readonly S3Key: string } };
}

/** Runs the app as `cdk -c` does. */
function run(context: object, environment: object = {}) {
  return spawnSync(process.execPath, ["programs/cdk.ts"], {
    encoding: "utf8",
    env: {
      ...process.env,
      CDK_OUTDIR: folder,
      CDK_CONTEXT_JSON: JSON.stringify({ ...cdk.context, ...context }),
      ...environment,
    },
  });
}

test("a mistake in the configuration is one sentence on standard error and exit code 1", () => {
  expect(run({ stage: "prod" })).toMatchObject({
    status: 1,
    stdout: "",
    stderr: 'infra/stages.ts has no stage "prod"; it has staging, production.\n',
  });
});

test.each([
  ["own.json", (stages: object) => JSON.stringify(stages)],
  ["own.ts", (stages: object) => `export const stages: object = ${JSON.stringify(stages)};\n`],
])("a stage of a file of one's own is synthesised, and a mistake in it names that file: %s", (name, contents) => {
  const file = join(folder, name);
  writeFileSync(file, contents({ mine: stages["staging"], wrong: { ...stages["staging"], account: "1" } }));
  expect(run({ stage: "mine", pipeline: "true", stages: file })).toMatchObject({ status: 0 });
  expect(existsSync(join(folder, "svc-mine-pipeline.template.json"))).toBe(true);
  expect(run({ stage: "wrong", stages: file })).toMatchObject({
    status: 1,
    stderr: `Stage "wrong" in ${file}: account must be the 12 digits of an AWS account.\n`,
  });
  expect(run({ stage: "staging", stages: file }).stderr).toBe(`${file} has no stage "staging"; it has mine, wrong.\n`);
});

test("a file that is missing or has no stages is refused in one sentence", () => {
  const empty = join(folder, "empty.json");
  writeFileSync(empty, "[]");
  const missing = join(folder, "missing.ts");
  expect(run({ stage: "a", stages: missing }).stderr).toBe(`There is no file ${missing}, which -c stages names.\n`);
  expect(run({ stage: "a", stages: empty }).stderr).toBe(
    `${empty} has no stages: an object with a field for each, as in infra/stages.ts.\n`,
  );
});

test("the pipeline's stack is apart from those that are deployed together", () => {
  const output = join(folder, "pipeline");
  expect(run({ stage: "staging", pipeline: "true" }, { CDK_OUTDIR: output })).toMatchObject({ status: 0 });
  expect(readdirSync(output).filter((name) => name.endsWith(".template.json"))).toEqual([
    "svc-staging-pipeline.template.json",
  ]);
});

describe("a stage with a games domain in another region", () => {
  const certificateArn = "arn:aws:acm:us-east-1:222222222222:certificate/2";
  const gamesDomain = { name: "games.example.net", certificateArn };
  const settings = join(folder, "every-option.json");
  const output = join(folder, "every-option");
  const templateOf = (stack: string) => JSON.parse(readFileSync(join(output, `${stack}.template.json`), "utf8"));
  const outputsRead = (template: object) =>
    [...JSON.stringify(template).matchAll(/"Fn::GetStackOutput":(\{.*?\})/g)].map(([, read = ""]) => JSON.parse(read));
  let synthesised: ReturnType<typeof run>;
  let origin: string;

  beforeAll(() => {
    const production = { ...stages["production"], ...withDomain("production", "eu-central-1"), gamesDomain };
    writeFileSync(settings, JSON.stringify({ production }));
    synthesised = run({ stage: "production", stages: settings }, { CDK_OUTDIR: output });
    origin = /svc-production-games-[0-9a-f]{8}(?=\.template)/.exec(readdirSync(output).join("\n"))?.[0] ?? "";
  }, 300_000);

  test("has five stacks, which the CDK deploys in the order of what they read of each other", () => {
    expect(synthesised).toMatchObject({ status: 0 });
    const { status, stdout } = spawnSync("node_modules/.bin/cdk", ["ls", "--app", output], { encoding: "utf8" });
    expect(status).toBe(0);
    const { artifacts } = JSON.parse(readFileSync(join(output, "manifest.json"), "utf8"));
    const told = stdout
      .trim()
      .split("\n")
      .map((name) => {
        const { environment, dependencies } = artifacts[name];
        return [name, environment, dependencies.filter((id: string) => !id.endsWith(".assets"))];
      });
    expect(told.toSorted()).toEqual([
      ["svc-production", "aws://222222222222/eu-central-1", [origin]],
      ["svc-production-alarms", "aws://222222222222/us-east-1", ["svc-production"]],
      [origin, "aws://222222222222/us-east-1", []],
      ["svc-production-games-log", "aws://222222222222/us-east-1", ["svc-production"]],
      ["svc-production-monitoring", "aws://222222222222/eu-central-1", ["svc-production"]],
    ]);
    for (const name of ["svc-production-games-log", "svc-production-alarms", "svc-production-monitoring"])
      for (const { StackName, OutputName, Region } of outputsRead(templateOf(name))) {
        expect([StackName, Region]).toEqual(["svc-production", "eu-central-1"]);
        expect(templateOf("svc-production").Outputs).toHaveProperty(OutputName);
      }
    const asked = (name: string) => Object.keys(templateOf(name).Parameters ?? {});
    expect(told.flatMap(([name]) => asked(name)).filter((name) => name !== "BootstrapVersion")).toEqual([]);
  });

  test("has the real function in us-east-1, which the stage's stack names", () => {
    const { Resources: games, Outputs: versions } = templateOf(origin);
    const functions = (Object.values(games) as FunctionResource[]).filter(
      ({ Type }) => Type === "AWS::Lambda::Function",
    );
    expect(functions).toHaveLength(1);
    const { Code } = functions[0]?.Properties ?? { Code: { S3Key: "" } };
    const bundle = join(output, `asset.${Code.S3Key.replace(".zip", "")}`);
    expect(readdirSync(bundle)).toEqual(["index.mjs"]);
    expect(readFileSync(join(bundle, "index.mjs"), "utf8")).toContain("cache-tag");

    const { Resources: own, Outputs } = templateOf("svc-production");
    expect(Object.keys(versions)).toEqual(["GamesOrigin"]);
    expect(outputsRead(own)).toEqual(
      Array(6).fill({ StackName: origin, OutputName: "GamesOrigin", Region: "us-east-1" }),
    );
    const outputs = ["GamesTarget", "GamesStoreArn", "GamesDistributionId", "DomainTarget"];
    expect(Object.keys(Outputs)).toEqual(expect.arrayContaining(outputs));
    const viewers = (Object.values(own) as { Type: string; Properties: { FunctionCode: string } }[]).filter(
      ({ Type, Properties }) => Type === "AWS::CloudFront::Function" && /cloudfront/.test(Properties.FunctionCode),
    );
    expect(viewers).toHaveLength(3);
    for (const { Properties } of viewers)
      expect(Buffer.byteLength(Properties.FunctionCode)).toBeLessThanOrEqual(10_240);
  });
});

test("nothing is synthesised while IDP_AUTH_EMULATOR_HOST is set", () => {
  expect(run({ stage: "staging" }, { IDP_AUTH_EMULATOR_HOST: "localhost:9099" })).toMatchObject({
    status: 1,
    stdout: "",
    stderr:
      "IDP_AUTH_EMULATOR_HOST is set. It accepts unsigned ID tokens and is only for the local service: unset it, then try again.\n",
  });
});

test("`cdk synth` synthesises a stage with the real bundles, without an AWS account", () => {
  const output = join(folder, "synth");
  const { status, stderr } = spawnSync(
    "node_modules/.bin/cdk",
    ["synth", "-c", "stage=production", "--quiet", "--output", output],
    { encoding: "utf8", env: { PATH: process.env["PATH"], HOME: folder, AWS_EC2_METADATA_DISABLED: "true" } },
  );
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const { Resources, Outputs } = JSON.parse(readFileSync(join(output, "svc-production.template.json"), "utf8"));
  // The workflow and docs/operations read them by these names.
  const names = [
    "ApiAddress",
    "DashboardTarget",
    "DashboardUrl",
    "DomainTarget",
    "Issuer",
    "NoticesBusName",
    "TableName",
    "Version",
  ];
  // The others are for the stack of alarms, named by the CDK.
  const own = Object.keys(Outputs).filter((name) => !name.startsWith("PublishOutput"));
  expect(own.toSorted()).toEqual(names);
  const functions = (Object.values(Resources) as FunctionResource[]).filter(
    ({ Type, Properties: { FunctionName } }) => Type === "AWS::Lambda::Function" && FunctionName,
  );
  // And check-copies, which the bucket starts.
  expect(functions).toHaveLength(Object.keys(routes).length + schedules().length - gamesSchedules().length + 1);
  for (const { Properties } of functions) {
    const bundle = readdirSync(join(output, `asset.${Properties.Code.S3Key.replace(".zip", "")}`));
    expect(bundle).toEqual(["index.mjs"]);
  }
  // Wherever the page is deployed from, it is the page as it was built.
  const pages = readdirSync(output).filter((name) => existsSync(join(output, name, "index.html")));
  expect(pages).toHaveLength(1);
  expect(readFileSync(join(output, pages[0] ?? "", "index.html"), "utf8")).toMatch(/src="\/assets\/dashboard-\w+\.js"/);
});
