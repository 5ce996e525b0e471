import { join } from "node:path";
import { afterAll, beforeAll, expect } from "@jest/globals";
import { codeBlocks, readDocument, root } from "../../test/support/documents.ts";
import { testWith } from "../foreign-tools.ts";
import { type Cloud, cloudTool, startCloud } from "./cloud.ts";

/*
 * The commands of docs/operations/deploying.md one by one, for whoever uses the CDK and not `npm run deploy`: a stage in eu-central-1, which has
 * alarms of its host names in us-east-1 too. It has no games, because MiniStack looks for outputs of stacks in one region alone.
 */

const test = testWith(cloudTool);
const regions = ["eu-central-1", "us-east-1"];
const assembly = join(root, "build/deploy/production");

let cloud: Cloud;
beforeAll(async () => {
  if (cloudTool.missing === undefined) cloud = await startCloud("eu-central-1");
}, 240_000);
afterAll(() => cloud?.stop());

const document = "docs/operations/deploying.md";
const blocks = codeBlocks(document).map(({ text }) => text);

/** Runs lines of the document, whose `npx` would look for programs in the registry if the project had none. */
async function run(lines: string): Promise<string> {
  const script = lines.replaceAll("npx cdk ", "cdk ");
  const { code, stdout, stderr } = await cloud.run("bash", ["-euo", "pipefail", "-c", script]);
  if (code !== 0) throw new Error(`${script}\n${stdout}${stderr}\n${cloud.log().slice(-2_000)}`);
  return stdout + stderr;
}

/** A command of the CDK that the document has, for the templates that the foreign cloud takes. */
async function documented(command: string, stage: string, ...words: readonly string[]): Promise<string> {
  expect(readDocument(document)).toContain(`npx cdk ${command}`);
  return await run([`cdk ${command.replace(`-c stage=${stage}`, `--app ${assembly}`)}`, ...words].join(" "));
}

const statusesIn = async (region: string): Promise<Record<string, string>> => {
  const { StackSummaries: stacks } = await cloud.aws("cloudformation", "list-stacks", "--region", region);
  const entries: [string, string][] = stacks.map((stack: Record<string, string>) => [
    stack["StackName"] ?? "",
    stack["StackStatus"] ?? "",
  ]);
  return Object.fromEntries(entries.filter(([, status]) => status !== "DELETE_COMPLETE"));
};

test("a stage of two regions is bootstrapped, deployed, compared and given up by the documented commands", async () => {
  const certificate = async (name: string, region: string) => ({
    name,
    certificateArn: (await cloud.aws("acm", "request-certificate", "--domain-name", name, "--region", region))
      .CertificateArn,
  });
  cloud.writeStages("production", {
    disposable: true,
    domain: await certificate("api.example.com", "eu-central-1"),
    dashboard: { domain: await certificate("dashboard.example.com", "us-east-1") },
    healthChecks: true,
  });
  const stages = `-c stages=${cloud.stagesFile}`;
  await run(`cdk synth -c stage=production ${stages} --quiet --output ${assembly}`);

  await run(blocks.find((text) => text.includes("--policy-name svc-boundary")) ?? "");
  const bootstrap = blocks.find((text) => text.includes("cdk bootstrap")) ?? "";
  for (const region of regions)
    await run(
      bootstrap.replace("REGION=us-east-1", `REGION=${region}`).replace("-c stage=staging", `--app ${assembly}`),
    );
  for (const region of regions) {
    const role = `cdk-hnb659fds-cfn-exec-role-${cloud.env.AWS_ACCESS_KEY_ID}-${region}`;
    const { AttachedPolicies: policies } = await cloud.aws("iam", "list-attached-role-policies", "--role-name", role);
    expect(policies.map(({ PolicyName }: { PolicyName: string }) => PolicyName)).toEqual(["svc-execution"]);
  }

  await documented("deploy -c stage=staging --all", "staging", "--require-approval never");
  expect(await statusesIn("eu-central-1")).toEqual({
    CDKToolkit: "CREATE_COMPLETE",
    "svc-production": "CREATE_COMPLETE",
    "svc-production-monitoring": "CREATE_COMPLETE",
  });
  expect(await statusesIn("us-east-1")).toEqual({
    CDKToolkit: "CREATE_COMPLETE",
    "svc-production-alarms": "CREATE_COMPLETE",
  });
  expect(await documented("diff -c stage=staging", "staging")).toContain("Number of stacks with differences: 0");

  expect(readDocument(document)).toContain("npm run deploy -- production --destroy\n");
  await run(`node programs/deploy.ts production --destroy --yes --stages ${cloud.stagesFile}`);
  for (const region of regions) expect(await statusesIn(region)).toEqual({ CDKToolkit: "CREATE_COMPLETE" });
}, 600_000);
