import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterAll, expect } from "@jest/globals";
import { PipelineStack } from "../../infra/pipeline-stack.ts";
import { readStage, type Stage } from "../../infra/stage.ts";
import { stages } from "../../infra/stages.ts";
import { freePort } from "../../local/table/dynamodb-engine.ts";
import { codeBlocks, readDocument, root } from "../../test/support/documents.ts";
import { addStacksOf, createApp, type TestApp } from "../../test/support/synthesis/app.ts";
import { everyOption, withDomain } from "../../test/support/synthesis/settings.ts";
import type { Resources } from "../../test/support/synthesis.ts";
import { concurrentTestWith, pythonTool } from "../foreign-tools.ts";

/*
 * A first deployment as docs/operations/deploying.md tells it, by the real CDK against moto, a model of AWS that is not ours:
 * policies, bootstrap of each region, every stack with every option and the pipeline's, a second deployment with a change, and the end
 * of the stage.
 * What moto cannot do:
 * - many types: `typesOfMoto`.
 * - a change set beside an earlier one: the CDK first deletes one of the same name, which moto refuses if there is none. So the second
 *   deployment is direct.
 * - protection of a stack from its end: the assemblies do not ask for it.
 * - outputs of a stack that a change set has made, and `Fn::GetStackOutput`: what reads one is of those types. The test looks for each in
 *   the template of the stack that must have it.
 */

const moto = pythonTool("moto[server]==5.2.5", "moto_server");
const server =
  moto.missing === undefined && spawnSync("aws", ["--version"]).status !== 0
    ? { missing: "The AWS command line is not on this machine, so no deployment was rehearsed" }
    : moto;

/**
 * The types that moto's CloudFormation has. It would skip others and refuse what refers to them, so they are taken out and what
 * refers to them gets a fixed value: API Gateway's, CloudFront's, AWS WAF's, alarms, budget, subscriptions, policies of buckets,
 * topics and queues, and DynamoDB's global table.
 */
function typesOfMoto(): ReadonlySet<string> {
  const program =
    "import json, moto.server\nfrom moto.cloudformation.parsing import get_model_map\nprint(json.dumps(list(get_model_map())))";
  const printed = execFileSync(join(dirname(moto.program ?? ""), "python3"), ["-c", program], { encoding: "utf8" });
  return new Set(JSON.parse(printed));
}

const programs = [join(root, "node_modules/.bin"), dirname(process.execPath)];
const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts moto as the account; its CloudFormation reads templates from its own S3 only if the host is called localhost. */
async function startMoto({ account, region }: Stage) {
  const port = await freePort();
  const child = spawn(moto.program ?? "", ["-H", "127.0.0.1", "-p", `${port}`], {
    env: { ...process.env, MOTO_ACCOUNT_ID: account },
    stdio: ["ignore", "ignore", "pipe"],
  });
  running.push(child);
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    log += text;
  });
  const endpoint = `http://localhost:${port}`;
  const until = Date.now() + 120_000;
  while (!(await fetch(endpoint).catch(() => undefined))) {
    if (Date.now() > until) throw new Error(`moto does not respond: ${log}`);
    await new Promise((done) => setTimeout(done, 200));
  }
  const run = async (script: string): Promise<string> => {
    const shell = spawn("bash", ["--norc", "-eu", "-o", "pipefail", "-c", script], {
      cwd: root,
      timeout: 600_000,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: [...programs, process.env["PATH"]].join(delimiter),
        HOME: "/nonexistent",
        // The CDK remembers of which account a key is.
        AWS_ACCESS_KEY_ID: `id-${account}`,
        AWS_SECRET_ACCESS_KEY: "secret",
        AWS_REGION: region,
        AWS_DEFAULT_REGION: region,
        AWS_ENDPOINT_URL: endpoint,
        AWS_EC2_METADATA_DISABLED: "true",
        AWS_PAGER: "",
      },
    });
    const [stdout, stderr, [code]] = await Promise.all([
      shell.stdout.toArray(),
      shell.stderr.toArray(),
      once(shell, "close"),
    ]);
    if (code !== 0) throw new Error(`${script}\n${Buffer.concat(stderr)}\n${log.slice(-2_000)}`);
    return Buffer.concat(stdout).toString().trim();
  };
  return { run };
}

let types: ReadonlySet<string> | undefined;

/** A template without what is not there. */
function reduce(file: string, account: string): void {
  types ??= typesOfMoto();
  const template = JSON.parse(readFileSync(file, "utf8")) as { Resources: Resources; Outputs?: object };
  const isThere = ([, { Type }]: [string, { Type: string }]) => types?.has(Type);
  const kept = new Set(
    Object.entries(template.Resources)
      .filter(isThere)
      .map(([id]) => id),
  );
  const gone = new Set(Object.keys(template.Resources).filter((id) => !kept.has(id)));
  const resources = Object.fromEntries(Object.entries(template.Resources).filter(([id]) => kept.has(id)));
  // The CDK leaves out a stack that has nothing.
  if (kept.size === 0) Object.assign(resources, { InPlaceOfAll: { Type: "AWS::SNS::Topic" } });
  // Moto knows no earlier value of a parameter that has its default.
  const text = JSON.stringify(
    { ...template, Resources: resources, Parameters: undefined, Rules: undefined },
    (key, value) => {
      if (key === "DependsOn") {
        const left = [value].flat().filter((id) => kept.has(id));
        return left.length === 0 ? undefined : left;
      }
      const id = value?.Ref ?? value?.["Fn::GetAtt"]?.[0];
      if (!gone.has(id)) return value;
      return `arn:aws:absent:us-east-1:${account}:${id}`;
    },
  );
  writeFileSync(file, text);
}

/** An output that a template reads. */
interface OutputRead {
  readonly StackName: string;
  readonly OutputName: string;
  readonly Region: string;
}

/** A folder for `cdk --app`, the outputs that its templates read of other stacks, and what removes it. */
function synthesise(stage: Stage, add: (made: TestApp, stage: Stage) => unknown) {
  const made = createApp();
  add(made, stage);
  const { directory: folder } = made.app.synth();
  const reads: OutputRead[] = [];
  for (const file of globSync(join(folder, "*.template.json"))) {
    const text = readFileSync(file, "utf8");
    for (const [, read = ""] of text.matchAll(/"Fn::GetStackOutput": (\{.*?\})/gs)) reads.push(JSON.parse(read));
    reduce(file, stage.account);
  }
  const manifest = join(folder, "manifest.json");
  writeFileSync(
    manifest,
    readFileSync(manifest, "utf8").replaceAll('"terminationProtection": true', '"terminationProtection": false'),
  );
  return { folder, reads, dispose: made.dispose };
}

const addPipeline = ({ app }: TestApp, stage: Stage) => new PipelineStack(app, stage);

const blocks = codeBlocks("docs/operations/deploying.md").map(({ text }) => text);
const [policies = ""] = blocks.filter((text) => text.includes("aws iam create-policy "));
const [bootstrap = ""] = blocks.filter((text) => text.includes("cdk bootstrap"));

/** A command of the document for an assembly. */
function documented(command: string, folder: string, ...words: readonly string[]): string {
  expect(readDocument("docs/operations/deploying.md")).toContain(`npx cdk ${command}`);
  return [`cdk ${command.replace(/-c stage=\w+( -c pipeline=true)?/, `--app ${folder}`)}`, ...words].join(" ");
}

const rehearse = concurrentTestWith(server);

rehearse.each([
  ["staging", "us-east-1", ["us-east-1"]],
  ["production", "eu-central-1", ["eu-central-1", "us-east-1"]],
])(
  "%s in %s is bootstrapped, deployed with every option, changed and given up",
  async (name, region, regions) => {
    const stageWith = (changes: object) =>
      readStage(name, { [name]: { ...stages[name], ...everyOption(name), ...withDomain(name, region), ...changes } });
    const stage = stageWith({});
    const { account } = stage;
    const { run } = await startMoto(stage);
    const first = synthesise(stage, addStacksOf);
    const pipeline = synthesise(stage, addPipeline);
    const ask = async (where: string, operation: string, query: string) =>
      await run(`aws cloudformation ${operation} --region ${where} --query "${query}" --output text`);

    await run(policies);
    for (const each of regions) {
      const block = bootstrap.replace("REGION=us-east-1", `REGION=${each}`);
      await run(block.replace(/npx cdk (.*) -c stage=\w+/, `cdk $1 --app ${first.folder}`));
      // Moto attaches no policy to a role that a template names in a parameter.
      const given = "Stacks[0].Parameters[?ParameterKey=='CloudFormationExecutionPolicies'].ParameterValue";
      const policy = await ask(each, "describe-stacks --stack-name CDKToolkit", given);
      expect(policy).toContain(`arn:aws:iam::${account}:policy/svc-execution`);
    }

    await run(documented("deploy -c stage=staging --all", first.folder, "--require-approval never"));
    await run(documented("deploy -c stage=staging -c pipeline=true", pipeline.folder, "--require-approval never"));
    const stacks = async () => {
      const query = "StackSummaries[?StackStatus!='DELETE_COMPLETE'].[StackName,StackStatus]";
      const found = await Promise.all(regions.map((each) => ask(each, "list-stacks", query)));
      return Object.fromEntries(found.flatMap((text) => text.split("\n")).map((line) => line.split("\t")));
    };
    // The stack of the games' functions at the edge is named by the digest of their code.
    const named = (stack: string) => stack.replace(/-games-[0-9a-f]{8}$/, "-games");
    const suffixes = ["", "-games", "-games-log", "-pipeline"];
    const created = [...suffixes.map((suffix) => `svc-${name}${suffix}`), "CDKToolkit"];
    if (regions.length > 1) created.push(`svc-${name}-alarms`);
    const found = Object.entries(await stacks()).map(([stack, status]) => [named(stack), status]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(created.map((stack) => [stack, "CREATE_COMPLETE"])));
    expect(first.reads.length).toBeGreaterThan(regions.length);
    const outputs = new Map<string, Promise<string>>();
    for (const { StackName, OutputName, Region } of first.reads) {
      const template = `get-template --stack-name ${StackName}`;
      if (!outputs.has(StackName)) outputs.set(StackName, ask(Region, template, "keys(TemplateBody.Outputs)"));
      expect((await outputs.get(StackName))?.split("\t")).toContain(OutputName);
    }
    const leftovers = (...words: readonly string[]) => run(`node infra/operator/leftovers.ts ${words.join(" ")}`);
    await expect(leftovers(name, "--delete", name)).rejects.toThrow(`still has svc-${name}`);

    const changed = stageWith({ keptReleases: 7, repository: "example/renamed" });
    const second = [synthesise(changed, addStacksOf), synthesise(changed, addPipeline)] as const;
    const shown = await run(`${documented("diff -c stage=staging", second[0].folder)} 2>&1`);
    expect(shown).toContain(`Stack svc-${name} (aws://${account}/${region})\nResources\n[~] `);
    expect(shown).toContain("Number of stacks with differences: 1");
    for (const { folder } of second)
      await run(`cdk deploy --app ${folder} --all --require-approval never --method direct`);
    const updated = [`svc-${name}`, `svc-${name}-pipeline`];
    expect(await stacks()).toMatchObject(Object.fromEntries(updated.map((stack) => [stack, "UPDATE_COMPLETE"])));

    await run(documented("destroy -c stage=production --all", second[0].folder, "--force"));
    expect(Object.keys(await stacks()).sort()).toEqual(["CDKToolkit", `svc-${name}-pipeline`]);
    await run(`cdk destroy --app ${second[1].folder} --force`);
    expect(Object.keys(await stacks())).toEqual(["CDKToolkit"]);
    for (const { dispose } of [first, pipeline, ...second]) dispose();
  },
  900_000,
);

rehearse(
  "what a stage left behind is listed, and deleted with its name once more",
  async () => {
    const name = "staging";
    const { run } = await startMoto(readStage(name, stages));
    const leftovers = (...words: readonly string[]) => run(`node infra/operator/leftovers.ts ${words.join(" ")}`);
    const [files, log, ofAnother] = ["staging-files", "staging-filesaccesslog", "staging2-files"].map(
      (bucket) => `svc-${bucket}1a2b3c4d-abcdef123`,
    );
    for (const bucket of [files, log, ofAnother]) await run(`aws s3api create-bucket --bucket ${bucket}`);
    await run(`aws s3 cp README.md s3://${files}/a/b.md`);
    await run(
      "aws dynamodb create-table --table-name svc-staging-Table1A2B3C4D-ABC --attribute-definitions AttributeName=PK,AttributeType=S " +
        "--key-schema AttributeName=PK,KeyType=HASH --billing-mode PAY_PER_REQUEST --deletion-protection-enabled",
    );
    await run("aws logs create-log-group --log-group-name svc-staging-FunctionLog1A2B3C4D-AbCd");
    await run("aws logs create-log-group --log-group-name /svc/staging/games-origin --region eu-west-3");
    const listed = (await leftovers(name)).split("\n");
    expect(listed).toEqual([
      "table svc-staging-Table1A2B3C4D-ABC in us-east-1",
      `bucket ${files} in us-east-1`,
      "log group svc-staging-FunctionLog1A2B3C4D-AbCd in us-east-1",
      "log group /svc/staging/games-origin in eu-west-3",
      `access log ${log} in us-east-1`,
      "To delete all 5, for good: --delete staging",
    ]);
    await expect(leftovers(name, "--delete", "production")).rejects.toThrow("nothing was deleted");
    const deleted = (await leftovers(name, "--delete", name)).split("\n");
    expect(deleted.map((line) => line.replace(/^.*: /, ""))).toEqual(Array(5).fill("deleted"));
    expect(await leftovers(name)).toBe("Nothing is left.");
    expect(await run('aws s3api list-buckets --query "Buckets[].Name" --output text')).toBe(ofAnother);
  },
  900_000,
);
