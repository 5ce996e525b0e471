import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { stages } from "../../../infra/stages.ts";
import { codeBlocks } from "../../support/documents.ts";

/* The block of docs/operations/deploying.md that prepares a region, run by the real CDK against a model of STS and CloudFormation. */

const folder = mkdtempSync(join(tmpdir(), "svc-bootstrap-"));
afterAll(() => rmSync(folder, { recursive: true }));

const account = stages["staging"]?.account;
const policy = `arn:aws:iam::${account}:policy/svc-execution`;
const [block] = codeBlocks("docs/operations/deploying.md").filter(({ text }) => text.includes("cdk bootstrap"));

interface Call {
  readonly region: string | undefined;
  readonly parameters: URLSearchParams;
}

/** Runs the block; `aws` responds as the account's own does, and CloudFormation refuses to make a change set. */
async function bootstrap(arn: string, region: string): Promise<{ calls: Call[]; stderr: string }> {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const parameters = new URLSearchParams(body);
    const [, signedFor] = /Credential=[^/]+\/\d+\/([\w-]+)\//.exec(request.headers.authorization ?? "") ?? [];
    calls.push({ region: signedFor, parameters });
    if (parameters.get("Action") === "GetCallerIdentity") {
      response.end(
        `<GetCallerIdentityResponse><GetCallerIdentityResult><Account>${account}</Account><Arn>arn:aws:iam::${account}:user/ada</Arn><UserId>ada</UserId></GetCallerIdentityResult></GetCallerIdentityResponse>`,
      );
      return;
    }
    const message =
      parameters.get("Action") === "DescribeStacks" ? "Stack with id CDKToolkit does not exist" : "not here";
    response
      .writeHead(400)
      .end(
        `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>${message}</Message></Error></ErrorResponse>`,
      );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const aws = join(folder, "aws");
  writeFileSync(aws, `#!/bin/sh\ncase "$1" in sts) echo ${account} ;; iam) echo "${arn}" ;; esac\n`);
  chmodSync(aws, 0o755);
  const script = block?.text.replace("REGION=us-east-1", `REGION=${region}`) ?? "";
  const shell = spawn("bash", ["--norc", "-e", "-c", script], {
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      PATH: [folder, resolve("node_modules/.bin"), process.env["PATH"]].join(delimiter),
      HOME: folder,
      AWS_ACCESS_KEY_ID: "id",
      AWS_SECRET_ACCESS_KEY: "secret",
      // The shell's own region must not be the one that is prepared.
      AWS_REGION: "eu-west-3",
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_EC2_METADATA_DISABLED: "true",
      AWS_MAX_ATTEMPTS: "1",
    },
  });
  const stderr = Buffer.concat(await shell.stderr.toArray()).toString();
  server.closeAllConnections();
  server.close();
  return { calls, stderr };
}

test("the block prepares the region that it names, and its CloudFormation gets the policy of the project", async () => {
  const { calls, stderr } = await bootstrap(policy, "eu-central-1");
  const [made] = calls.filter(({ parameters }) => parameters.get("Action") === "CreateChangeSet");
  if (made === undefined) throw new Error(stderr);
  expect(made.region).toBe("eu-central-1");
  const values = [...made.parameters].flatMap(([name, key]) =>
    key === "CloudFormationExecutionPolicies"
      ? [made.parameters.get(name.replace("ParameterKey", "ParameterValue"))]
      : [],
  );
  expect(values).toEqual([policy]);
  expect(stderr).not.toContain("AdministratorAccess");
}, 300_000);

test("without the policy the shell stops before the CDK", async () => {
  const { calls, stderr } = await bootstrap("", "us-east-1");
  expect(calls).toEqual([]);
  expect(stderr).toMatch(/POLICY: parameter null or not set/);
});
