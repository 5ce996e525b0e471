import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { routes } from "../../../contract/api/routes.ts";
import { schedules } from "../../../infra/schedules.ts";
import { stages } from "../../../infra/stages.ts";
import { type Resource, withApiEdge } from "../../support/synthesis.ts";

const cdk = JSON.parse(readFileSync("cdk.json", "utf8"));
const folder = mkdtempSync(join(tmpdir(), "svc-cdk-app-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface FunctionResource {
  readonly Type: string;
  readonly Properties: { readonly FunctionName?: string; readonly Code: { readonly S3Key: string } };
}

/** Runs the app as `cdk -c` does. */
function run(context: object, environment: object = {}) {
  return spawnSync(process.execPath, ["infra/main.ts"], {
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
  expect(run({ stage: "mine", stack: "pipeline", stages: file })).toMatchObject({ status: 0 });
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

test.each([
  ["games", "gamesDomain: it needs no stack of games"],
  ["games-alarms", "gamesDomain: it needs no stack of games"],
  ["edge", "apiEdge: it needs no stack before its API"],
])("a stage without what the stack of %s is for has none", (stack, reason) => {
  expect(run({ stage: "staging", stack })).toMatchObject({
    status: 1,
    stdout: "",
    stderr: `Stage "staging" has no ${reason}.\n`,
  });
});

describe("a stage with a games domain and a distribution before its API, in another region", () => {
  const certificateArn = "arn:aws:acm:us-east-1:222222222222:certificate/2";
  const gamesDomain = { name: "games.example.net", certificateArn };
  const settings = join(folder, "with-games.mjs");
  const templateOf = (stack: string) => JSON.parse(readFileSync(join(folder, `${stack}.template.json`), "utf8"));

  /** Runs the app with the real bundles, for a stage that has them. */
  function synthesise(context: object) {
    const stage = { ...stages["production"], ...withApiEdge("production", "eu-central-1"), gamesDomain };
    writeFileSync(
      settings,
      `import { stages } from ${JSON.stringify(resolve("infra/stages.ts"))};\nstages.production = ${JSON.stringify(stage)};\n`,
    );
    return run({ stage: "production", ...context }, { NODE_OPTIONS: `--import=${settings}` });
  }

  test("the stack before the API is in us-east-1 and leads to the stage's own region", () => {
    expect(synthesise({ stack: "edge" })).toMatchObject({ status: 0 });
    const { Resources: edge, Outputs } = templateOf("svc-production-edge");
    expect(Object.keys(Outputs).toSorted()).toEqual(["ApiEdgeTarget", "WebAclId"]);
    const [distribution] = (Object.values(edge) as Resource[]).filter(({ Type }) => /Distribution$/.test(Type));
    expect(distribution?.Properties.DistributionConfig.Origins[0].DomainName).toContain("execute-api.eu-central-1");
    const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
    expect(manifest.artifacts["svc-production-edge"].environment).toBe("aws://222222222222/us-east-1");
  }, 300_000);

  test("the stack of games is in us-east-1 and has the real function, which the stage's stack names; that one has the trust store of its API", () => {
    expect(synthesise({ stack: "games" })).toMatchObject({ status: 0 });
    const { Resources: games, Outputs: versions } = templateOf("svc-production-games");
    const functions = (Object.values(games) as FunctionResource[]).filter(
      ({ Type }) => Type === "AWS::Lambda::Function",
    );
    expect(functions).toHaveLength(1);
    const { Code } = functions[0]?.Properties ?? { Code: { S3Key: "" } };
    const bundle = join(folder, `asset.${Code.S3Key.replace(".zip", "")}`);
    expect(readdirSync(bundle)).toEqual(["index.mjs"]);
    expect(readFileSync(join(bundle, "index.mjs"), "utf8")).toContain("cache-tag");
    const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
    expect(manifest.artifacts["svc-production-games"].environment).toBe("aws://222222222222/us-east-1");

    const { status, stderr } = synthesise({});
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const { Resources: own, Outputs } = templateOf("svc-production");
    const version = Object.keys(versions).find((name) => /^GamesOrigin[0-9a-f]{8}$/.test(name));
    const reads = [...JSON.stringify(own).matchAll(/"Fn::GetStackOutput":(\{.*?\})/g)].map(([, read = ""]) =>
      JSON.parse(read),
    );
    expect(reads).toEqual(
      Array(4).fill({ StackName: "svc-production-games", OutputName: version, Region: "us-east-1" }),
    );
    const outputs = ["GamesTarget", "GamesStoreArn", "GamesDistributionId"];
    expect(Object.keys(Outputs)).toEqual(expect.arrayContaining(outputs));

    expect(synthesise({ stack: "games-alarms" })).toMatchObject({ status: 0 });
    const { Parameters } = templateOf("svc-production-games-alarms");
    const asked = Object.keys(Parameters).filter((name) => name !== "BootstrapVersion");
    expect(asked).toEqual(["GamesDistributionId"]);
    const { Properties: domain } = (Object.values(own) as Resource[]).find(({ Type }) =>
      /ApiGatewayV2::DomainName$/.test(Type),
    ) as Resource;
    const [, key = ""] =
      /assets-222222222222-eu-central-1\/(\w+\.pem)$/.exec(domain.MutualTlsAuthentication.TruststoreUri) ?? [];
    expect(readFileSync(join(folder, `asset.${key}`), "utf8")).toBe(withApiEdge("production").apiEdge.authority);
    const viewers = (Object.values(own) as { Type: string; Properties: { FunctionCode: string } }[]).filter(
      ({ Type, Properties }) => Type === "AWS::CloudFront::Function" && /cloudfront/.test(Properties.FunctionCode),
    );
    expect(viewers).toHaveLength(3);
    for (const { Properties } of viewers)
      expect(Buffer.byteLength(Properties.FunctionCode)).toBeLessThanOrEqual(10_240);
  }, 300_000);
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
  const names = ["ApiAddress", "DashboardTarget", "DomainTarget", "NoticesBusName", "TableName"];
  expect(Object.keys(Outputs).toSorted()).toEqual(names);
  const functions = (Object.values(Resources) as FunctionResource[]).filter(
    ({ Type, Properties: { FunctionName } }) => Type === "AWS::Lambda::Function" && FunctionName,
  );
  expect(functions).toHaveLength(Object.keys(routes).length + schedules.length - 1);
  for (const { Properties } of functions) {
    const bundle = readdirSync(join(output, `asset.${Properties.Code.S3Key.replace(".zip", "")}`));
    expect(bundle).toEqual(["index.mjs"]);
  }
  // Wherever the page is deployed from, it is the page as it was built.
  const pages = readdirSync(output).filter((name) => existsSync(join(output, name, "index.html")));
  expect(pages).toHaveLength(1);
  expect(readFileSync(join(output, pages[0] ?? "", "index.html"), "utf8")).toMatch(/src="\/assets\/main-\w+\.js"/);
});
