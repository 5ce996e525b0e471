import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readDocument, root } from "../../support/documents.ts";
import { functionEnvironment } from "../../support/service/function-environment.ts";
import { useService } from "../../support/service/suite.ts";
import type { Resource, Resources } from "../../support/synthesis.ts";

/*
 * The app of docs/operations/construct.md, in an empty folder into which the package was installed, and there the commands of the package
 * with a command line of AWS that knows an empty account.
 */

const folder = mkdtempSync(join(tmpdir(), "svc-construct-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const [, app = ""] = /^```ts\n(.*?)^```/ms.exec(readDocument("docs/operations/construct.md")) ?? [];

function run(cwd: string, program: string, ...args: string[]): string {
  return execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

/** The resources that the app has with these flags in its cdk.json. */
function synthesised(flags: object): Resources {
  const env = { ...process.env, CDK_OUTDIR: join(folder, "cdk.out"), CDK_CONTEXT_JSON: JSON.stringify(flags) };
  execFileSync(process.execPath, ["app.ts"], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  return JSON.parse(readFileSync(join(folder, "cdk.out/Games.template.json"), "utf8")).Resources;
}

let resources: Resources;

beforeAll(() => {
  const [{ filename }] = JSON.parse(run(root, "npm", "pack", "-w", "infra", "--json", "--pack-destination", folder));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  // The peers, which are large, are those of the repository.
  run(folder, "npm", "install", "--prefer-offline", "--ignore-scripts", "--legacy-peer-deps", join(folder, filename));
  mkdirSync(join(folder, "node_modules/@types"));
  for (const name of ["aws-cdk", "aws-cdk-lib", "constructs", "@types/node"])
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  symlinkSync("../aws-cdk/bin/cdk", join(folder, "node_modules/.bin/cdk"));
  writeFileSync(join(folder, "app.ts"), app);
  resources = synthesised({});
}, 600_000);

const find = (type: string, id: RegExp): Resource => {
  const [[, found] = []] = Object.entries(resources).filter(([name, { Type }]) => Type === type && id.test(name));
  if (found === undefined) throw new Error(`No ${type} is called ${id}`);
  return found;
};

test("the app has fifteen lines at most, and its types are right", () => {
  expect(app.trim().split("\n").filter(Boolean).length).toBeLessThanOrEqual(15);
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022"];
  run(folder, process.execPath, join(root, "node_modules/typescript/bin/tsc"), ...options, "app.ts");
});

test("its alarm tells the service's topic, which takes messages of alarms of the stack", () => {
  const { AlarmActions, Dimensions } = find("AWS::CloudWatch::Alarm", /^ManyTokens/).Properties;
  expect(resources[AlarmActions[0].Ref]?.Type).toBe("AWS::SNS::Topic");
  expect(resources[Dimensions[0].Value.Ref]?.Properties.FunctionName).toBe("svc-production-create-token");
  const policy = JSON.stringify(find("AWS::SNS::TopicPolicy", /^SvcAlarms/));
  for (const alarm of ["svc-production-*", "Games-*"])
    expect(policy).toContain(`arn:aws:cloudwatch:eu-central-1:111111111111:alarm:${alarm}`);
});

test("its queue gets notices of the service's bus", () => {
  const { EventBusName, Targets } = find("AWS::Events::Rule", /^Deletions/).Properties;
  expect(resources[EventBusName.Ref]).toMatchObject({
    Type: "AWS::Events::EventBus",
    Properties: { Name: "svc-production" },
  });
  expect(resources[Targets[0].Arn["Fn::GetAtt"][0]]?.Type).toBe("AWS::SQS::Queue");
});

test("the service does not depend on the flags of the app, but for how policies are written", () => {
  const { context } = JSON.parse(readFileSync(join(root, "cdk.json"), "utf8")) as { context: Record<string, unknown> };
  const flags = Object.entries(context).filter(([name, value]) => name.startsWith("@aws-cdk/") && value === true);
  expect(flags.length).toBeGreaterThan(15);
  const withoutPolicies = (all: Resources) =>
    JSON.parse(JSON.stringify(all, (key, value) => (/Polic|Description/.test(key) ? undefined : value)));
  expect(withoutPolicies(synthesised(Object.fromEntries(flags)))).toEqual(withoutPolicies(resources));
  const off = flags.filter(([name]) => name.startsWith("@aws-cdk/aws-")).map(([name]) => [name, false]);
  expect(withoutPolicies(synthesised(Object.fromEntries(off)))).toEqual(withoutPolicies(resources));
});

describe("npx", () => {
  const service = useService();
  const account = "111111111111";

  beforeAll(() => {
    mkdirSync(join(folder, "programs"));
    const aws = join(folder, "programs/aws");
    writeFileSync(
      aws,
      `#!/bin/sh
      case "$1 $2" in
        "sts get-caller-identity") echo '{"Account":"${account}"}' ;;
        "lambda get-account-settings") echo '{"AccountLimit":{"ConcurrentExecutions":1000}}' ;;
        "acm describe-certificate") echo '{"Certificate":{"Status":"ISSUED"}}' ;;
        "cloudformation list-stacks") echo null ;;
        "cloudformation describe-stacks") echo "Stack with id $4 does not exist" >&2; exit 254 ;;
        "iam get-policy") echo "An error occurred (NoSuchEntity)" >&2; exit 254 ;;
        *) echo "$*" >> ${folder}/changes; exit 1 ;;
      esac
`,
    );
    chmodSync(aws, 0o755);
  });

  const PATH = [join(folder, "programs"), dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const HOME = process.env["HOME"] ?? folder;

  /** Output for a person at a terminal who types these lines. */
  function onTerminal(command: string, lines: readonly string[]): string {
    const { stdout } = spawnSync("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
      cwd: folder,
      encoding: "utf8",
      input: lines.map((line) => `${line}\n`).join(""),
      env: { PATH, HOME, TERM: "xterm" },
    });
    return stdout;
  }
  const json = (path: string) => JSON.parse(readFileSync(join(folder, path), "utf8"));

  test("deploy asks three questions, writes the file of stages there, and shows what it will do", () => {
    const shown = onTerminal("npx --no @svc-publish/cdk deploy trial", [
      "eu-west-3",
      "cognito",
      "alarms@example.com",
      "n",
    ]);
    expect(json("svc.stages.json")).toEqual({
      trial: { account, region: "eu-west-3", identityProvider: "cognito", alarmEmail: "alarms@example.com" },
    });
    for (const line of [
      "create   policy svc-boundary",
      "create   policy svc-execution",
      "prepare  eu-west-3 for the CDK",
      "create   stack svc-trial in eu-west-3",
      "Nothing was changed.",
    ])
      expect(shown).toContain(line);
    expect(existsSync(join(folder, "changes"))).toBe(false);
    const { Resources: deployed } = json("cdk.out/trial/svc-trial.template.json") as { Resources: Resources };
    const names = Object.values(deployed).map(({ Properties }) => Properties?.FunctionName);
    expect(names).toEqual(expect.arrayContaining(["svc-trial-create-token", "svc-trial-sweep"]));
  }, 300_000);

  test("deploy has the stacks of a stage with games and a dashboard, as in the repository", () => {
    const certificateArn = `arn:aws:acm:us-east-1:${account}:certificate/1`;
    const games = {
      ...{ account, region: "eu-west-3", identityProvider: "cognito", alarmEmail: "alarms@example.com" },
      gamesDomain: { name: "games.example.net", certificateArn },
      dashboard: { domain: { name: "dashboard.example.com", certificateArn } },
    };
    writeFileSync(join(folder, "svc.stages.json"), JSON.stringify({ games }));
    const shown = onTerminal("npx --no @svc-publish/cdk deploy games", ["n"]);
    const stacks = shown
      .match(/create {3}stack \S+ in [a-z0-9-]+/g)
      ?.map((line) => line.slice("create   stack ".length));
    expect(stacks).toEqual([
      expect.stringMatching(/^svc-games-games-[0-9a-f]{8} in us-east-1$/),
      "svc-games in eu-west-3",
      "svc-games-monitoring in eu-west-3",
      "svc-games-games-log in us-east-1",
      "svc-games-alarms in us-east-1",
    ]);
    run(
      root,
      ...([process.execPath, "node_modules/aws-cdk/bin/cdk", "synth", "--quiet", "-c", "stage=games"] as const),
      ...["-c", `stages=${join(folder, "svc.stages.json")}`, "--output", join(folder, "cdk.out/repository")],
    );
    for (const name of stacks?.map((line) => line.split(" ")[0]) ?? [])
      expect(json(`cdk.out/games/${name}.template.json`)).toEqual(json(`cdk.out/repository/${name}.template.json`));
  }, 300_000);

  test("operator shows and changes the table of a stage", () => {
    const operator = (...args: string[]) =>
      spawnSync("npx", ["--no", "@svc-publish/cdk", "operator", ...args], {
        cwd: folder,
        encoding: "utf8",
        env: { PATH, HOME, ...functionEnvironment(service) },
      });
    expect(operator("--help").stdout).toMatch(/^Usage: npx --no @svc-publish\/cdk operator \[/);
    expect(operator("show", "account", "nobody")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("(user_not_found)"),
    });
  }, 60_000);

  test("another word gets the usage", () => {
    const { status, stderr } = spawnSync("npx", ["--no", "@svc-publish/cdk", "destroy"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([1, expect.stringContaining("npx --no @svc-publish/cdk deploy STAGE")]);
  }, 60_000);
});
