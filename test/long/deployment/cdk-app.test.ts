import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { routes } from "../../../contract/routes.ts";
import { schedules } from "../../../infra/scheduled-function.ts";

const cdk = JSON.parse(readFileSync("cdk.json", "utf8"));
const folder = mkdtempSync(join(tmpdir(), "svc-cdk-app-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Bundled {
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

test("a stage without a games domain has no stack of games", () => {
  expect(run({ stage: "staging", stack: "games" })).toMatchObject({
    status: 1,
    stdout: "",
    stderr: 'Stage "staging" in infra/stages.ts has no gamesDomains: it needs no stack of games.\n',
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
  const names = ["ApiAddress", "DashboardTarget", "DomainTarget", "NoticesBusName", "TableName"];
  expect(Object.keys(Outputs).toSorted()).toEqual(names);
  const functions = (Object.values(Resources) as Bundled[]).filter(
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
