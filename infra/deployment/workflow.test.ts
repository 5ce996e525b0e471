import "../../programs/stack-options.ts";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { addStacksOf, createApp } from "../../test/support/synthesis/app.ts";
import { everyOption, withDomain } from "../../test/support/synthesis/settings.ts";
import { readStage } from "../settings/stage.ts";
import { stages } from "../stages.ts";

const read = (path: string) => readFileSync(path, "utf8");
const workflow = read(".github/workflows/deploy.yml");
const deployAction = read(".github/actions/deploy/action.yml");

/** The text of each job of the workflow. */
const jobs = new Map(
  workflow
    .slice(workflow.indexOf("\njobs:\n"))
    .split(/^(?= {2}[\w-]+:$)/m)
    .slice(1)
    .map((text) => [/^ {2}([\w-]+):/.exec(text)?.[1] ?? "", text]),
);
const job = (name: string) => jobs.get(name) ?? "";

test("what gates a deployment is what .ci/run runs and CONTRIBUTING.md names", () => {
  const gates = [...(/suite:\n((?: +- .*\n)+)/.exec(job("check"))?.[1] ?? "").matchAll(/- (.*)/g)].map(
    ([, gate = ""]) => gate,
  );
  expect(gates).toHaveLength(7);
  for (const gate of gates.filter((name) => name !== "check"))
    for (const path of [".ci/run", "CONTRIBUTING.md"])
      expect(read(path).replaceAll("--silent ", "")).toContain(`npm run ${gate}`);
  expect(job("staging")).toContain("needs: [check, build]");
});

test("production is deployed after staging and its smoke test", () => {
  expect(job("smoke-staging")).toContain("needs: staging\n");
  expect(job("production")).toContain("needs: smoke-staging\n");
});

test("a job with an identity token installs no dependency of the project, and deploys what a job without one has built", () => {
  const withIdentity = [...jobs].filter(([, text]) => text.includes("id-token: write"));
  expect(withIdentity.map(([name]) => name)).toEqual(["diff", "staging", "production"]);
  for (const text of [deployAction, ...withIdentity.map(([, text]) => text)]) {
    for (const [line] of text.matchAll(/^.*\bnpm .*$/gm))
      expect(line).toMatch(/npm ci --ignore-scripts --prefix \.github\/actions\/deploy$/);
    expect(text).not.toMatch(/\bnpx |cache: npm|node infra/);
  }
  expect(job("build")).toContain("name: cdk.out");
  expect(deployAction).toContain("actions/download-artifact@");
});

test("the workflow has no key, and gives the token only to the smoke test", () => {
  for (const text of [workflow, deployAction]) expect(text).not.toMatch(/aws-(secret-)?access-key/i);
  expect(deployAction).not.toContain("secrets.");
  const steps = workflow.split(/^ {6}- /m).filter((step) => step.includes("secrets."));
  expect(steps).toEqual([expect.stringMatching(/^name: smoke test\n/)]);
  for (const name of Object.keys(stages)) expect(job(`smoke-${name}`)).toContain(`environment: ${name}-smoke\n`);
});

test("each stage that exists is deployed by a job of its environment", () => {
  const deployments = [...jobs].filter(([, text]) => text.includes("uses: ./.github/actions/deploy"));
  expect(deployments.map(([name]) => name)).toEqual(Object.keys(stages));
  for (const [name, text] of deployments) {
    expect(text).toContain(`    environment:\n      name: ${name}\n`);
    expect(text).toContain(`          stage: ${name}\n`);
  }
  expect(job("build")).toContain(`for stage in ${Object.keys(stages).join(" ")}; do`);
  expect(workflow).not.toContain("workflow_call");
});

test("all stacks of a stage are synthesised at once, and a pull request reads the template of its own stack alone", () => {
  expect(job("build")).toContain("cdk synth --quiet -c stage=$stage -c commit=$GITHUB_SHA --output cdk.out/$stage\n");
  expect(job("diff")).toMatch(
    /cdk diff --app \S+ matrix\.stage }} svc-\S+ matrix\.stage }} --exclusively --method=template /,
  );
});

test("a job that deploys has an hour: a distribution alone takes up to half of one, and the alarms watch ten minutes more", () => {
  for (const name of ["staging", "production"]) expect(job(name)).toMatch(/^ {4}timeout-minutes: 60$/m);
});

test("the smoke test is told the issuer", () => {
  const told = execFileSync(process.execPath, ["programs/stage-outputs.ts", "staging"], { encoding: "utf8" });
  expect(told).toMatch(/^account=\d{12}\nregion=us-east-1\nissuer=https:.*\n$/);
  expect(job("smoke-staging")).toContain("SVC_ISSUER=$(sed -n 's/^issuer=//p'");
});

test("the jobs take the roles that exist", () => {
  expect(workflow).toMatch(/role-to-assume: .*:role\/svc-\S+ matrix.stage }}-diff$/m);
  expect(deployAction).toMatch(/role-to-assume: .*:role\/svc-\S+ inputs.stage }}-deploy$/m);
});

test("every foreign action is pinned to a commit, with its version in a comment", () => {
  const used = [...`${workflow}${deployAction}`.matchAll(/uses: (?!\.\/)(.*)$/gm)].map(([, action]) => action);
  expect(used.length).toBeGreaterThan(0);
  for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test("the job that deploys has the command line of the CDK that synthesised", () => {
  const { dependencies } = JSON.parse(read(".github/actions/deploy/package.json"));
  const { packages } = JSON.parse(read("package-lock.json"));
  expect(dependencies).toEqual({ "aws-cdk": packages["node_modules/aws-cdk"].version });
});

describe("deploy.sh", () => {
  let repository: string;
  let folder: string;
  let commits: string[];

  beforeAll(() => {
    repository = mkdtempSync(join(tmpdir(), "svc-deploy-"));
    const git = (...words: string[]) => execFileSync("git", words, { cwd: repository, encoding: "utf8" }).trim();
    mkdirSync(join(repository, "bin"));
    cpSync(resolve(".github/actions/deploy/deploy.sh"), join(repository, "deploy.sh"));
    git("init", "--quiet");
    const commit = () => {
      git("-c", "user.name=a", "-c", "user.email=a@example.test", "commit", "--quiet", "--allow-empty", "-m", "x");
      return git("rev-parse", "HEAD");
    };
    commits = [commit(), commit(), commit()];
  });
  afterAll(() => rmSync(repository, { recursive: true }));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "svc-deploy-"));
    cpSync(repository, folder, { recursive: true });
    // Both record their calls; `aws` prints the deployed commit.
    command("cdk", 'echo "cdk $*" >> calls; [ "$1" != ls ] || cat stacks');
    has("svc-staging");
    command(
      "aws",
      `echo "aws $2 $3 $4" >> calls
      case "$*" in
        *--region*)
          echo "$*" >> regions
          [ -e "$4" ] || { echo "Stack with id $4 does not exist" >&2; exit 254; }
          case "$*" in *StackStatus*) cat "$4" ;; *) echo "\${OF_DISTRIBUTION:-None}" ;; esac ;;
        *GamesDistributionId*) echo E2 ;;
        *StackId*)
          [ "$STACK_STATUS" = REVIEW_IN_PROGRESS ] && { echo "Stack with id svc-staging $DENIED" >&2; exit 254; }
          echo "arn:aws:cloudformation:eu-west-3:111111111111:stack/svc-staging/1" ;;
        *StackStatus*)
          # A state in progress is over when it is asked for again.
          if [ -n "$IN_PROGRESS" ] && [ ! -e settled ]; then touch settled; echo "$IN_PROGRESS"; else echo "$STACK_STATUS"; fi ;;
        *Commit*) echo "$DEPLOYED" ;;
        *ApiAddress*) echo https://api.example.com ;;
        *describe-change-set*) printf "$CHANGES" ;;
      esac`,
    );
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** The output of `cdk ls`, in another order than these stacks are deployed in, and the assembly's manifest. */
  const has = (...names: string[]) => {
    writeFileSync(join(folder, "stacks"), `${names.toReversed().join("\n")}\n`);
    const regionOf = (name: string) => (name === "svc-staging" ? "eu-west-3" : "us-east-1");
    const artifacts = names.map((name, index) => [
      name,
      { environment: `aws://111111111111/${regionOf(name)}`, dependencies: names.slice(0, index) },
    ]);
    mkdirSync(join(folder, "cdk.out/staging"), { recursive: true });
    writeFileSync(
      join(folder, "cdk.out/staging/manifest.json"),
      JSON.stringify({ artifacts: Object.fromEntries(artifacts) }),
    );
  };
  /** Puts another stack of the stage into the account. */
  const exists = (name: string, state = "UPDATE_COMPLETE") => writeFileSync(join(folder, name), `${state}\n`);

  const deployment = (stack: string) =>
    `cdk deploy --app cdk.out/staging --exclusively --require-approval never ${stack}`;

  function command(name: string, script: string): void {
    writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, "bin", name), 0o755);
  }

  function deploy(
    commit: string | undefined,
    deployed: string,
    status = "UPDATE_COMPLETE",
    refusal = "does not exist",
    more: Record<string, string> = {},
  ) {
    const env = {
      PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
      STAGE: "staging",
      GITHUB_SHA: commit,
      GITHUB_OUTPUT: join(folder, "output"),
      DEPLOYED: deployed,
      STACK_STATUS: status,
      DENIED: refusal,
      ...more,
    };
    const result = spawnSync("bash", ["deploy.sh"], { cwd: folder, env, encoding: "utf8" });
    const { status: code, stdout, stderr } = result;
    return { status: code, stdout, stderr, calls: read(join(folder, "calls")) };
  }

  test("deploys a commit that contains the deployed one, by a change set from before the last check", () => {
    const { status, calls } = deploy(commits[2], commits[1] ?? "");
    expect(status).toBe(0);
    const lines = calls.trim().split("\n");
    const made = lines.findIndex((line) =>
      line.startsWith(
        `${deployment("svc-staging")} --method prepare-change-set --change-set-name commit-${commits[2]} `,
      ),
    );
    // What it changes, the stack's status, its commit, then the execution.
    expect(lines.slice(made + 1, made + 5)).toEqual([
      "aws describe-change-set --stack-name svc-staging",
      "aws describe-stacks --stack-name svc-staging",
      "aws describe-stacks --stack-name svc-staging",
      "aws execute-change-set --stack-name svc-staging",
    ]);
    expect(lines).toContain("aws execute-change-set --stack-name svc-staging");
    expect(lines).toContain("aws wait stack-update-complete --stack-name");
    expect(read(join(folder, "output"))).toBe("api=https://api.example.com\n");
  });

  test("deploys the stack of games before the change set that needs it, and not for an older commit", () => {
    has("svc-staging-games-0a1b2c3d", "svc-staging");
    const { status, calls } = deploy(commits[2], commits[1] ?? "");
    expect(status).toBe(0);
    const lines = calls.trim().split("\n");
    const deployed = lines.indexOf(deployment("svc-staging-games-0a1b2c3d"));
    expect(deployed).toBeGreaterThan(0);
    expect(lines.findIndex((line) => line.includes("prepare-change-set"))).toBeGreaterThan(deployed);
    rmSync(join(folder, "calls"));
    expect(deploy(commits[0], commits[1] ?? "").calls).not.toContain("staging-games");
  });

  test("deploys every stack of the app after the stack whose outputs it reads, also for the commit that is deployed", () => {
    const made = createApp();
    const elsewhere = { ...everyOption("staging"), ...withDomain("staging", "eu-west-3") };
    const names = addStacksOf(made, readStage("staging", { staging: { ...stages["staging"], ...elsewhere } }));
    made.dispose();
    expect(names).toHaveLength(5);
    has(...names);
    const deployed = (calls: string) =>
      names.filter((name) => calls.split("\n").some((line) => `${line} `.startsWith(`${deployment(name)} `)));
    const { calls } = deploy(commits[2], commits[1] ?? "");
    expect(deployed(calls)).toEqual(names);
    const lines = calls.split("\n");
    const own = lines.indexOf("aws wait stack-update-complete --stack-name");
    const others = names.slice(names.indexOf("svc-staging") + 1);
    expect(others).toEqual(["svc-staging-games-log", "svc-staging-alarms", "svc-staging-monitoring"]);
    for (const stack of others) expect(lines.indexOf(deployment(stack))).toBeGreaterThan(own);
    rmSync(join(folder, "calls"));
    expect(deployed(deploy(commits[1], commits[1] ?? "").calls)).toEqual(others);
    rmSync(join(folder, "calls"));
    expect(deployed(deploy(commits[0], commits[1] ?? "").calls)).toEqual([]);
  });

  test("deploys nothing of an assembly without the stage's own stack", () => {
    has("svc-production");
    const { status, stdout, calls } = deploy(commits[2], commits[1] ?? "");
    expect([status, stdout]).toEqual([1, expect.stringContaining("has no stack svc-staging")]);
    expect(calls).toBe("cdk ls --app cdk.out/staging\n");
  });

  const deployOver = (status: string, more: Record<string, string> = {}) =>
    deploy(commits[2], commits[1] ?? "", status, undefined, more);

  test.each(["CREATE_FAILED", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "DELETE_FAILED"])(
    "names the command that makes a stage again that is %s",
    (state) => {
      const { status, stdout, calls } = deployOver(state);
      expect([status, stdout]).toEqual([1, expect.stringContaining(`${state}: it must be made again`)]);
      expect(stdout).toContain("npm run deploy -- staging");
      expect(calls).not.toContain("cdk deploy");
    },
  );

  test.each(["UPDATE_FAILED", "UPDATE_ROLLBACK_FAILED"])(
    "finishes the rollback of a stage that is %s first",
    (state) => {
      const { status, calls } = deployOver(state);
      expect(status).toBe(0);
      const lines = calls.split("\n");
      const rollback = lines.indexOf("cdk rollback --app cdk.out/staging svc-staging");
      expect(rollback).toBeGreaterThan(0);
      expect(lines.findIndex((line) => line.includes("prepare-change-set"))).toBeGreaterThan(rollback);
    },
  );

  describe("with another stack, in another region,", () => {
    beforeEach(() => has("svc-staging", "svc-staging-games-log"));
    const log = "svc-staging-games-log";

    test.each(["CREATE_FAILED", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "DELETE_FAILED"])(
      "that is %s changes nothing, and names the command that makes it again",
      (state) => {
        exists(log, state);
        const { status, stdout, calls } = deployOver("UPDATE_COMPLETE");
        expect([status, stdout]).toEqual([1, expect.stringContaining(`${log} is ${state}: it must be made again`)]);
        expect(calls).not.toContain("cdk deploy");
        expect(read(join(folder, "regions"))).toContain(`--stack-name ${log} --region us-east-1`);
      },
    );

    test("whose update failed finishes its rollback first", () => {
      exists(log, "UPDATE_ROLLBACK_FAILED");
      const { status, calls } = deployOver("UPDATE_COMPLETE");
      expect(status).toBe(0);
      expect(calls.indexOf(`cdk rollback --app cdk.out/staging ${log}`)).toBeLessThan(calls.indexOf("cdk deploy"));
      expect(calls).toContain(`cdk rollback --app cdk.out/staging ${log}`);
    });

    test("that is of a former distribution does not stay so silently", () => {
      exists(log);
      const { status, stdout, calls } = deployOver("UPDATE_COMPLETE", { OF_DISTRIBUTION: "E1" });
      expect([status, stdout]).toEqual([1, expect.stringContaining(`${log} is of a former distribution`)]);
      expect(calls).toContain("execute-change-set");
      expect(calls).not.toContain(deployment(log));
      expect(deployOver("UPDATE_COMPLETE", { OF_DISTRIBUTION: "E2" }).calls).toContain(deployment(log));
    });

    test("that it may not read goes on", () => {
      const { status, calls } = deployOver("UPDATE_COMPLETE");
      expect([status, calls]).toEqual([0, expect.stringContaining(deployment(log))]);
    });
  });

  test("waits for what is in progress", () => {
    command("sleep", ":");
    const { status, stdout } = deployOver("UPDATE_COMPLETE", { IN_PROGRESS: "UPDATE_ROLLBACK_IN_PROGRESS" });
    expect([status, stdout]).toEqual([
      0,
      expect.stringContaining("Waiting for svc-staging: UPDATE_ROLLBACK_IN_PROGRESS"),
    ]);
  });

  test("removes or replaces nothing that holds data or serves players and is not allowed by name", () => {
    const lost = [
      ...["ApiGatewayV2::Api", "ApiGatewayV2::DomainName", "Backup::BackupVault", "CloudFront::Distribution"],
      ...["CloudFront::KeyValueStore", "Cognito::UserPool", "DynamoDB::GlobalTable", "S3::Bucket"],
    ].flatMap((type, number) =>
      ["Remove\\tNone", "Modify\\tTrue", "Modify\\tConditional"].map((change, at) => ({
        id: `Lost${number}${at}`,
        type: `AWS::${type}`,
        change,
      })),
    );
    const lines = lost.map(({ id, type, change }) => `${change}\\t${type}\\t${id}\\n`);
    const CHANGES = `Add\\tNone\\tAWS::S3::Bucket\\tNew\\n${lines.join("")}`;
    const { status, stdout, calls } = deployOver("UPDATE_COMPLETE", { CHANGES });
    const named = lost.map(({ id, type }) => `${id} (${type})`).join(" ");
    expect([status, stdout]).toEqual([1, expect.stringContaining(`players: ${named}. If that is meant`)]);
    expect(calls).not.toContain("execute-change-set");
    const [first, ...others] = lost.map(({ id }) => id);
    expect(deployOver("UPDATE_COMPLETE", { CHANGES, ALLOW: others.join(" ") }).stdout).toContain(`players: ${first} `);
    expect(deployOver("UPDATE_COMPLETE", { CHANGES, ALLOW: `${first} ${others.join(" ")}` }).status).toBe(0);
  });

  test("changes the others, and removes what holds nothing", () => {
    const CHANGES = "Modify\\tFalse\\tAWS::S3::Bucket\\tFiles\\nRemove\\tNone\\tAWS::Lambda::Function\\tGetMe\\n";
    expect(deployOver("UPDATE_COMPLETE", { CHANGES }).status).toBe(0);
  });

  test("does not deploy an older commit, and says what to do", () => {
    const { status, stdout, calls } = deploy(commits[0], commits[1] ?? "");
    expect(status).toBe(1);
    expect(stdout).toContain("Revert on main instead of deploying an older commit.");
    expect(calls).not.toContain("execute-change-set");
  });

  test("does not deploy over an unknown commit", () => {
    const { status, calls } = deploy(commits[2], "f".repeat(40));
    expect(status).not.toBe(0);
    expect(calls).not.toContain("execute-change-set");
  });

  test.each(["", "None"])("deploys for the first time if the deployed commit is %j", (deployed) => {
    const { status, calls } = deploy(commits[0], deployed, "REVIEW_IN_PROGRESS");
    expect(status).toBe(0);
    expect(calls).toContain("aws wait stack-create-complete --stack-name");
  });

  test("stops if it may not read the deployed commit", () => {
    const { status, stderr, calls } = deploy(commits[0], "", "REVIEW_IN_PROGRESS", "is not authorized");
    expect([status, stderr]).toEqual([1, expect.stringContaining("is not authorized")]);
    expect(calls).not.toContain("cdk deploy");
  });

  test("has nothing to do for the commit that is deployed", () => {
    const { status, calls } = deploy(commits[1], commits[1] ?? "");
    expect(status).toBe(0);
    expect(calls).not.toContain("execute-change-set");
  });
});
