import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { App, CfnWaitConditionHandle, LegacyStackSynthesizer, Stack } from "aws-cdk-lib";
import { stages } from "../../../infra/stages.ts";
import { ofType, synthesise } from "../../support/synthesis.ts";

/* The workflow's deploy.sh, run with the real CDK and the real AWS command line against a model of CloudFormation that has a stack. */

const folder = mkdtempSync(join(tmpdir(), "svc-rollback-"));
afterAll(() => rmSync(folder, { recursive: true }));

const { account = "", region = "" } = stages["staging"] ?? {};

/** An app of the stage's name whose template goes in the request. */
function writeApp(): void {
  const app = new App({ outdir: join(folder, "cdk.out/staging") });
  const synthesizer = new LegacyStackSynthesizer() as never;
  new CfnWaitConditionHandle(new Stack(app, "svc-staging", { env: { account, region }, synthesizer }), "Changed");
  app.synth();
}

/** Runs deploy.sh, and returns the rollback configuration of the change set that it makes; CloudFormation then refuses it. */
async function rollbackOf(status: string | undefined): Promise<Record<string, string>> {
  let made: URLSearchParams | undefined;
  const server = createServer(async (request, response) => {
    const parameters = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    const action = parameters.get("Action");
    if (action === "CreateChangeSet") made = parameters;
    const result = resultOf(action, status);
    const code = action === "DescribeChangeSet" ? "ChangeSetNotFound" : "ValidationError";
    const refusal = `<Error><Type>Sender</Type><Code>${code}</Code><Message>Stack with id ${parameters.get("StackName")} does not exist</Message></Error>`;
    if (result === undefined) response.writeHead(400).end(`<ErrorResponse>${refusal}</ErrorResponse>`);
    else response.end(`<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const shell = spawn("bash", ["deploy.sh"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      PATH: [resolve("node_modules/.bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter),
      HOME: folder,
      STAGE: "staging",
      GITHUB_SHA: "a".repeat(40),
      GITHUB_OUTPUT: join(folder, "output"),
      AWS_ACCESS_KEY_ID: "id",
      AWS_SECRET_ACCESS_KEY: "secret",
      AWS_REGION: region,
      AWS_DEFAULT_REGION: region,
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_EC2_METADATA_DISABLED: "true",
      AWS_MAX_ATTEMPTS: "1",
    },
  });
  const stderr = Buffer.concat(await shell.stderr.toArray()).toString();
  server.closeAllConnections();
  server.close();
  if (made === undefined) throw new Error(stderr);
  return Object.fromEntries([...made].filter(([name]) => name.startsWith("RollbackConfiguration")));
}

function resultOf(action: string | null, status: string | undefined): string | undefined {
  if (action === "GetCallerIdentity")
    return `<Account>${account}</Account><Arn>arn:aws:iam::${account}:user/ada</Arn><UserId>ada</UserId>`;
  // The CDK deletes a change set of the same name before it makes one.
  if (action === "DeleteChangeSet") return "";
  if (action === "GetTemplate" && status) return "<TemplateBody>{}</TemplateBody>";
  if (action === "DescribeStacks" && status)
    return `<Stacks><member><StackName>svc-staging</StackName><StackId>arn:aws:cloudformation:${region}:${account}:stack/svc-staging/1</StackId><StackStatus>${status}</StackStatus><CreationTime>2026-11-25T00:00:00Z</CreationTime></member></Stacks>`;
  return undefined;
}

// .ci/run installs it.
const hasAws = spawnSync("aws", ["--version"]).status === 0;
const testWithAws = hasAws ? test : test.skip;

testWithAws(
  "a stage that exists is deployed under the watch of two of its alarms, for ten minutes more",
  async () => {
    mkdirSync(join(folder, "cdk.out"), { recursive: true });
    cpSync(".github/actions/deploy/deploy.sh", join(folder, "deploy.sh"));
    writeApp();
    const configuration = await rollbackOf("UPDATE_COMPLETE");
    const arn = (alarm: string) => `arn:aws:cloudwatch:${region}:${account}:alarm:svc-staging-${alarm}`;
    const triggers = "RollbackConfiguration.RollbackTriggers.member";
    expect(configuration).toEqual({
      "RollbackConfiguration.MonitoringTimeInMinutes": "10",
      [`${triggers}.1.Arn`]: arn("ApiFailing"),
      [`${triggers}.1.Type`]: "AWS::CloudWatch::Alarm",
      [`${triggers}.2.Arn`]: arn("FunctionsFailing"),
      [`${triggers}.2.Type`]: "AWS::CloudWatch::Alarm",
    });
    // CloudFormation fails for an alarm that is missing, so the first deployment names none.
    for (const first of [undefined, "REVIEW_IN_PROGRESS"]) expect(await rollbackOf(first)).toEqual({});
    const names = ofType(synthesise("staging"), "AWS::CloudWatch::Alarm").map(({ Properties }) => Properties.AlarmName);
    expect(names).toEqual(expect.arrayContaining(["svc-staging-ApiFailing", "svc-staging-FunctionsFailing"]));
  },
  300_000,
);
