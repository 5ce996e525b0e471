import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";

const cdk = JSON.parse(readFileSync("cdk.json", "utf8"));
const folder = mkdtempSync(join(tmpdir(), "svc-cdk-app-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the app as `cdk -c` does. */
function run(context: object, environment: object = {}) {
  return spawnSync(process.execPath, ["infra/cdk-app.ts"], {
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

test("nothing is synthesised while IDP_AUTH_EMULATOR_HOST is set", () => {
  expect(run({ stage: "staging" }, { IDP_AUTH_EMULATOR_HOST: "localhost:9099" })).toMatchObject({
    status: 1,
    stdout: "",
    stderr:
      "IDP_AUTH_EMULATOR_HOST is set. It accepts unsigned ID tokens and works on the local stage alone: unset it, then try again.\n",
  });
});
