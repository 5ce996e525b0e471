import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { afterAll, expect } from "@jest/globals";
import { readStage } from "../../../infra/stage.ts";
import { stages } from "../../../infra/stages.ts";
import { codeBlocks, root } from "../../support/documents.ts";
import { addStacksOf, createApp, everyOption, type Resources } from "../../support/synthesis.ts";
import { pythonTool, testWith } from "./tools.ts";

/*
 * A first deployment as docs/operations/deploying.md tells it, by the real CDK against moto, a model of AWS that is not ours:
 * policies, bootstrap, every stack with every option, a second deployment with a change, and the end of the stage. The second one is
 * direct: for a change set the CDK first deletes one of the same name, which moto refuses if there is none.
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
async function startMoto(account: string) {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  probe.close();
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
  const region = "us-east-1";
  const run = async (script: string): Promise<string> => {
    const shell = spawn("bash", ["--norc", "-eu", "-o", "pipefail", "-c", script], {
      cwd: root,
      timeout: 600_000,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: [...programs, process.env["PATH"]].join(delimiter),
        HOME: "/nonexistent",
        AWS_ACCESS_KEY_ID: "id",
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

/** A template without what is not there. */
function reduce(file: string, account: string, types: ReadonlySet<string>): void {
  const template = JSON.parse(readFileSync(file, "utf8")) as { Resources: Resources; Outputs?: object };
  const isThere = ([, { Type }]: [string, { Type: string }]) => types.has(Type);
  const kept = new Set(
    Object.entries(template.Resources)
      .filter(isThere)
      .map(([id]) => id),
  );
  const gone = new Set(Object.keys(template.Resources).filter((id) => !kept.has(id)));
  const resources = Object.fromEntries(Object.entries(template.Resources).filter(([id]) => kept.has(id)));
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

/** The stacks of a stage in a folder for `cdk --app`, in the order in which they are deployed. */
function synthesise(name: string, changes: object) {
  const made = createApp();
  const stage = readStage(name, { [name]: { ...stages[name], ...changes } });
  const names = addStacksOf(made, stage);
  const assembly = made.app.synth();
  const types = typesOfMoto();
  for (const stackName of names) reduce(assembly.getStackByName(stackName).templateFullPath, stage.account, types);
  return { folder: assembly.directory, names, dispose: made.dispose };
}

const blocks = codeBlocks("docs/operations/deploying.md").map(({ text }) => text);
const [policies = ""] = blocks.filter((text) => text.includes("aws iam create-policy "));
const [bootstrap = ""] = blocks.filter((text) => text.includes("cdk bootstrap"));

testWith(server)(
  "staging is bootstrapped, deployed with every option, changed and given up",
  async () => {
    const name = "staging";
    const account = stages[name]?.account ?? "";
    const { run } = await startMoto(account);
    // Moto cannot protect a stack from its end, which a stage that stays asks for.
    const options = { ...everyOption(name), disposable: true };
    const first = synthesise(name, options);
    await run(policies);
    await run(bootstrap.replace(/npx cdk (.*) -c stage=\w+/, `cdk $1 --app ${first.folder}`));
    // Moto attaches no policy to a role that a template names in a parameter.
    const parameter = "Stacks[0].Parameters[?ParameterKey=='CloudFormationExecutionPolicies'].ParameterValue";
    const given = await run(
      `aws cloudformation describe-stacks --stack-name CDKToolkit --query "${parameter}" --output text`,
    );
    expect(given).toContain(`arn:aws:iam::${account}:policy/svc-execution`);

    for (const stack of first.names)
      await run(`cdk deploy --app ${first.folder} ${stack} --exclusively --require-approval never`);
    const status = async (stack: string) =>
      await run(`aws cloudformation describe-stacks --stack-name ${stack} --query Stacks[0].StackStatus --output text`);
    expect(await Promise.all(first.names.map(status))).toEqual(first.names.map(() => "CREATE_COMPLETE"));
    const leftovers = (...words: readonly string[]) => run(`node tools/leftovers.ts ${words.join(" ")}`);
    await expect(leftovers(name, "--delete", name)).rejects.toThrow("still has svc-staging");

    const second = synthesise(name, { ...options, keptReleases: 7 });
    for (const stack of second.names)
      await run(`cdk deploy --app ${second.folder} ${stack} --exclusively --require-approval never --method direct`);
    expect(await status("svc-staging")).toBe("UPDATE_COMPLETE");

    for (const stack of second.names.toReversed())
      await run(`cdk destroy --app ${second.folder} ${stack} --exclusively --force`);
    const left = "StackSummaries[?StackStatus!='DELETE_COMPLETE'].StackName";
    expect(await run(`aws cloudformation list-stacks --query "${left}" --output text`)).toBe("CDKToolkit");
    for (const { dispose } of [first, second]) dispose();
  },
  900_000,
);

testWith(server)(
  "what a stage left behind is listed, and deleted with its name once more",
  async () => {
    const name = "staging";
    const { run } = await startMoto(stages[name]?.account ?? "");
    const leftovers = (...words: readonly string[]) => run(`node tools/leftovers.ts ${words.join(" ")}`);
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
    await run('aws kms create-key --description "svc-staging: signs attestations of releases"');
    const listed = (await leftovers(name)).split("\n");
    const key = listed.find((line) => line.startsWith("key "))?.split(" ")[1];
    expect(listed).toEqual([
      "table svc-staging-Table1A2B3C4D-ABC in us-east-1",
      `bucket ${files} in us-east-1`,
      `key ${key} in us-east-1`,
      "log group svc-staging-FunctionLog1A2B3C4D-AbCd in us-east-1",
      "log group /svc/staging/games-origin in eu-west-3",
      `access log ${log} in us-east-1`,
      "To delete all 6, for good: --delete staging",
    ]);
    await expect(leftovers(name, "--delete", "production")).rejects.toThrow("nothing was deleted");
    const deleted = (await leftovers(name, "--delete", name)).split("\n");
    expect(deleted.map((line) => line.replace(/^.*: /, ""))).toEqual([
      ...["deleted", "deleted", "will be deleted in 30 days", "deleted", "deleted", "deleted"],
    ]);
    expect(await leftovers(name)).toBe("Nothing is left.");
    expect(await run('aws s3api list-buckets --query "Buckets[].Name" --output text')).toBe(ofAnother);
  },
  900_000,
);
