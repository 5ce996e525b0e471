import "../programs/stack-options.ts";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { compileCache } from "../test/support/program.ts";
import { functionEnvironment } from "../test/support/service/function-environment.ts";
import { useService } from "../test/support/service/suite.ts";
import { refuseFirstDeveloper } from "./deployment/first-developer.ts";
import { readStage } from "./settings/stage.ts";

/* `npm run deploy` as a process, with command lines of AWS and of the CDK that note what they are called with. */

const account = "111111111111";
const certificateArn = (region: string) => `arn:aws:acm:${region}:${account}:certificate/1`;
const stage = {
  account,
  region: "eu-west-3",
  identityProvider: {
    issuer: "https://securetoken.google.com/demo",
    audience: "demo",
    jwksUri: "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
  },
  alarmEmail: "alarms@example.com",
  domain: { name: "api.example.com", certificateArn: certificateArn("eu-west-3") },
  gamesDomain: { name: "games.example.net", certificateArn: certificateArn("us-east-1") },
};

let folder: string;
const file = (name: string) => join(folder, name);
const calls = () => (existsSync(file("calls")) ? readFileSync(file("calls"), "utf8").trim().split("\n") : []);
/** The calls that change something. */
const changes = () =>
  calls().filter((line) =>
    /create-policy|delete-policy|cdk (bootstrap|deploy)|delete-|termination-protection|rollback|s3 rm/.test(line),
  );

const edgeStack = "svc-trial-games-0a1b2c3d";
const own = "svc-trial";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-deploy-command-"));
  for (const name of ["bin", "existing", "protected", "policies", "templates", "deployed", "outputs"])
    mkdirSync(file(name));
  writeFileSync(file("stages.json"), JSON.stringify({ trial: stage }));
  program(
    "aws",
    `echo "aws $*" >> ${folder}/calls
    refuse() { echo "An error occurred ($1)" >&2; exit 254; }
    case "$1 $2" in
      "sts get-caller-identity") [ -z "$STS" ] || refuse "$STS"; echo "{\\"Account\\":\\"$ACCOUNT\\"}" ;;
      "lambda get-account-settings") echo "{\\"AccountLimit\\":{\\"ConcurrentExecutions\\":$QUOTA}}" ;;
      "acm describe-certificate") echo "{\\"Certificate\\":{\\"Status\\":\\"$CERTIFICATE\\"}}" ;;
      "cloudformation describe-stacks")
        case "$*" in *starts_with*) cat ${folder}/versions-of-stages; exit ;; esac
        [ -e ${folder}/existing/$4 ] || refuse "Stack with id $4 does not exist"
        status=$(head -n 1 ${folder}/existing/$4)
        # The next state is seen by whoever asks next.
        [ "$(wc -l < ${folder}/existing/$4)" -lt 2 ] || sed -i 1d ${folder}/existing/$4
        if [ -e ${folder}/outputs/$4 ]; then outputs=$(cat ${folder}/outputs/$4); else
        outputs='[{"OutputKey":"ApiAddress","OutputValue":"'"$API"'"},{"OutputKey":"DomainTarget","OutputValue":"d-1.example"},{"OutputKey":"GamesTarget","OutputValue":"d1.cloudfront.net"},{"OutputKey":"Version","OutputValue":"0.0.9"},{"OutputKey":"TableName","OutputValue":"'"$TABLE"'"},{"OutputKey":"Issuer","OutputValue":"'"$ISSUER"'"},{"OutputKey":"UserPoolId","OutputValue":"pool"},{"OutputKey":"UserPoolClientId","OutputValue":"client"},{"OutputKey":"GamesDistributionId","OutputValue":"E2"}]'; fi
        echo '{"Stacks":[{"StackStatus":"'$status'","Outputs":'"$outputs"'}]}' ;;
      "cloudformation list-stacks") node -p 'JSON.stringify(fs.readdirSync(process.argv[1]).filter((name) => (name === "svc-trial") === (process.argv[2] === "eu-west-3")))' ${folder}/existing $6 ;;
      "cloudformation get-template") echo "{\\"TemplateBody\\":$(cat ${folder}/deployed/$4 2>/dev/null || echo '{}')}" ;;
      "cloudformation describe-type") cat ${folder}/schema 2>/dev/null || refuse TypeNotFoundException ;;
      "cloudformation update-termination-protection") rm -f ${folder}/protected/$4 ;;
      "cloudformation delete-stack")
        [ ! -e ${folder}/protected/$4 ] || refuse "Stack [$4] cannot be deleted while TerminationProtection is enabled"
        rm ${folder}/existing/$4 ;;
      "cloudformation continue-update-rollback"|"cloudformation rollback-stack") printf 'UPDATE_ROLLBACK_IN_PROGRESS\n%s\n' UPDATE_ROLLBACK_COMPLETE > ${folder}/existing/$4 ;;
      "cloudformation list-stack-resources") cat ${folder}/resources 2>/dev/null || echo '{"StackResourceSummaries":[]}' ;;
      "cloudformation describe-stack-events")
        echo '{"StackEvents":[{"LogicalResourceId":"Other","ResourceType":"AWS::SQS::Queue","ResourceStatus":"CREATE_FAILED","ResourceStatusReason":"Resource creation cancelled"},{"LogicalResourceId":"Bus","ResourceType":"AWS::Events::EventBus","ResourceStatus":"CREATE_FAILED","ResourceStatusReason":"svc-trial already exists"},{"LogicalResourceId":"svc-trial","ResourceType":"AWS::CloudFormation::Stack","ResourceStatus":"CREATE_IN_PROGRESS","ResourceStatusReason":"User Initiated","PhysicalResourceId":"1","StackId":"1"},{"LogicalResourceId":"Bus","ResourceType":"AWS::Events::EventBus","ResourceStatus":"CREATE_FAILED","ResourceStatusReason":"of an earlier attempt"}]}' ;;
      "lambda list-functions"|"s3api list-buckets"|"dynamodb list-tables"|"cognito-idp list-user-pools"|"logs describe-log-groups") echo null ;;
      "ec2 describe-regions") echo '["eu-west-3"]' ;;
      "iam get-policy") [ -e ${folder}/policies/\${4##*/} ] || refuse "\${IAM:-NoSuchEntity}"; echo '{"Policy":{"DefaultVersionId":"v5"}}' ;;
      "iam get-policy-version") echo "{\\"PolicyVersion\\":{\\"Document\\":$(cat ${folder}/policies/\${4##*/})}}" ;;
      "iam list-policy-versions") cat ${folder}/versions ;;
      "iam create-policy-version") echo "$6" > ${folder}/policies/\${4##*/} ;;
      "cognito-idp "*)
        [ -e "\${4#file://}" ] || exit 0
        cat \${4#file://} >> ${folder}/cognito; echo >> ${folder}/cognito; [ "$2" != "$REFUSED" ] || refuse "$REFUSAL"
        echo "{\\"AuthenticationResult\\":{\\"IdToken\\":\\"$POOL_ID_TOKEN\\"}}" ;;
      "configure export-credentials") echo '{"AccessKeyId":"local","SecretAccessKey":"local-secret"}' ;;
      "iam list-attached-role-policies") echo "{\\"AttachedPolicies\\":[{\\"PolicyName\\":\\"$ATTACHED\\"}]}" ;;
    esac`,
  );
  program(
    "cdk",
    `echo "cdk $*" >> ${folder}/calls
    for assembly in "$@"; do :; done
    case "$1" in
      synth) echo "\${WARNING:-66 feature flags are not configured. Run 'cdk flags' to learn more.}" >&2; [ -z "$WARNING" ] || exit 1; mkdir -p "$assembly"; cp ${folder}/manifest "$assembly/manifest.json"; cp ${folder}/templates/* "$assembly" ;;
      ls) printf '%s\n' $LISTED ;;
      bootstrap) echo "a line of the CDK" ;;
      deploy)
        echo "a line of the CDK"
        case "$(cat ${folder}/existing/$4 2>/dev/null)" in ROLLBACK_*|DELETE_FAILED|UPDATE_ROLLBACK_FAILED|*_IN_PROGRESS) echo "$4 is in a state that cannot be updated"; exit 1 ;; esac
        [ "$4" != "$FAILING" ] || { [ -z "$ENDS" ] || echo "$ENDS" > ${folder}/existing/$4; echo "the CDK's last line"; exit 1; }
        echo UPDATE_COMPLETE > ${folder}/existing/$4; touch ${folder}/protected/$4; rm -f ${folder}/outputs/$4 ;;
    esac`,
  );
  const artifactOf = (name: string, region: string, ...dependencies: string[]) => ({
    environment: `aws://${account}/${region}`,
    dependencies,
    properties: { templateFile: `${name}.template.json` },
  });
  const artifacts = {
    [edgeStack]: artifactOf(edgeStack, "us-east-1"),
    [own]: artifactOf(own, "eu-west-3", edgeStack),
    "svc-trial-games-log": artifactOf("svc-trial-games-log", "us-east-1", own),
  };
  writeFileSync(file("manifest"), JSON.stringify({ artifacts }));
  writeFileSync(file("versions-of-stages"), "[]");
  template(edgeStack, { Origin: { Type: "AWS::Lambda::Function" } });
  template(own, { Table: table({}) });
  template("svc-trial-games-log", {}, { GamesDistributionId: {} });
});
const table = (properties: object) => ({ Type: "AWS::DynamoDB::GlobalTable", Properties: properties });
/** What the settings make of a stack. */
function template(name: string, Resources: object, Outputs: object = {}): void {
  writeFileSync(join(folder, "templates", `${name}.template.json`), JSON.stringify({ Resources, Outputs }));
}
/** Puts a stack into the account, in states that follow each other. */
function exists(name: string, Resources: object = {}, ...states: string[]): void {
  writeFileSync(join(folder, "existing", name), `${states.length === 0 ? "CREATE_COMPLETE" : states.join("\n")}\n`);
  writeFileSync(join(folder, "protected", name), "");
  writeFileSync(join(folder, "deployed", name), JSON.stringify({ Resources }));
}
afterEach(() => rmSync(folder, { recursive: true }));

function program(name: string, script: string): void {
  writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, "bin", name), 0o755);
}

function deploy(args: readonly string[] = ["trial", "--yes"], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["programs/deploy.ts", ...args, "--stages", file("stages.json")],
    {
      encoding: "utf8",
      input: "",
      env: {
        PATH: [file("bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter),
        ...compileCache,
        ...{
          ACCOUNT: account,
          QUOTA: "10",
          CERTIFICATE: "ISSUED",
          ATTACHED: "svc-execution",
          API: "https://api.example.com",
          LISTED: `${own} ${edgeStack}`,
          ...env,
        },
      },
    },
  );
  return { status, stdout, stderr };
}

const policyArn = (name: string) => `arn:aws:iam::${account}:policy/${name}`;
/** An account that a deployment of this version has prepared. */
function prepare(): void {
  exists("CDKToolkit");
  exists(edgeStack, { Origin: { Type: "AWS::Lambda::Function" } });
  exists(own, { Table: table({}) });
  for (const [name, path] of [
    ["svc-boundary", "infra/deployment/permissions-boundary.json"],
    ["svc-execution", "infra/deployment/execution-policy.json"],
  ] as const)
    writeFileSync(join(folder, "policies", name), readFileSync(path));
}

test("in a new account it makes the policies, prepares both regions with one of them, deploys all, and says what is left", () => {
  const { status, stdout, stderr } = deploy();
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(changes().map((line) => line.split(" ").slice(0, 4).join(" "))).toEqual([
    "aws iam create-policy --policy-name",
    "aws iam create-policy --policy-name",
    `cdk bootstrap aws://${account}/us-east-1 --app`,
    `cdk bootstrap aws://${account}/eu-west-3 --app`,
    `cdk deploy --app ${process.cwd()}/build/deploy/trial`,
    `cdk deploy --app ${process.cwd()}/build/deploy/trial`,
  ]);
  const bootstraps = changes().filter((line) => line.startsWith("cdk bootstrap"));
  for (const line of bootstraps)
    expect(line).toMatch(new RegExp(`--cloudformation-execution-policies ${policyArn("svc-execution")}$`));
  for (const stack of [edgeStack, own])
    expect(changes()).toContainEqual(
      expect.stringMatching(new RegExp(` ${stack} --exclusively --require-approval never$`)),
    );
  // They are in a file, so that the command's own lines are seen.
  expect(stdout).not.toContain("a line of the CDK");
  // No call makes an assembly in a folder that a deployment of another stage uses too.
  const assembly = join(process.cwd(), "build/deploy/trial");
  const ofCdk = calls().filter((line) => line.startsWith("cdk "));
  expect(ofCdk.map((line) => /(--app|--output) (\S+)/.exec(line)?.slice(1))).toEqual([
    ["--output", assembly],
    ...Array.from({ length: 5 }, () => ["--app", assembly]),
  ]);
  for (const line of [
    "create   policy svc-boundary",
    "prepare  eu-west-3",
    "create   stack svc-trial-games-0a1b2c3d in us-east-1",
  ])
    expect(stdout).toContain(line);
  for (const line of [
    "name                 points to",
    "api.example.com      d-1.example",
    "*.games.example.net  d1.cloudfront.net",
  ])
    expect(stdout).toContain(`    ${line}\n`);
  expect(stdout).toMatch(/Then sign in:\n {2}svc login --api https:\/\/api\.example\.com\n$/);
});

test("a name in a hosted zone is left to nobody: the stage has made its record", () => {
  prepare();
  const withZones = (hostedZones: object) => {
    writeFileSync(file("stages.json"), JSON.stringify({ trial: { ...stage, hostedZones } }));
    return deploy().stdout;
  };
  const one = withZones({ "example.net": "Z1" });
  expect(one).toContain("    api.example.com  d-1.example\n");
  expect(one).not.toContain("*.games.example.net");
  expect(withZones({ "example.net": "Z1", "example.com": "Z2" })).not.toContain("make these DNS records");
});

test("in an account that is prepared by this version it only deploys", () => {
  prepare();
  const { status, stdout } = deploy();
  expect(status).toBe(0);
  expect(stdout).toMatch(/, version \d+\.\d+\.\d+, in place of 0\.0\.9: see CHANGELOG\.md:\n/);
  expect(stdout).toContain("update   stack svc-trial in eu-west-3");
  expect(changes()).toEqual(
    [edgeStack, own].map((stack) => expect.stringMatching(new RegExp(`^cdk deploy .* ${stack} `))),
  );
});

/** A policy of another version: it lets Kinesis do more, and denies nothing. */
const former = {
  Version: "2012-10-17",
  Statement: [{ Sid: "PartsOfAStage", Effect: "Allow", Action: ["kinesis:*", "lambda:*"], Resource: "*" }],
};
const ownPolicy = JSON.parse(readFileSync("infra/deployment/execution-policy.json", "utf8"));

describe("a policy of another version", () => {
  const arn = policyArn("svc-execution");
  beforeEach(() => {
    prepare();
    writeFileSync(join(folder, "policies", "svc-execution"), JSON.stringify(former));
    const versions = [5, 3, 2, 4, 1].map((id) => ({
      VersionId: `v${id}`,
      IsDefaultVersion: id === 5,
      CreateDate: `2026-11-0${id}T00:00:00Z`,
    }));
    writeFileSync(file("versions"), JSON.stringify({ Versions: versions }));
  });
  const written = () =>
    calls().flatMap((line) => {
      const [, document] = /create-policy-version .*--policy-document (\{.*\}) --set-as-default/.exec(line) ?? [];
      return document === undefined ? [] : [JSON.parse(document)];
    });

  test("keeps its rights until the stage is deployed, and the oldest of five versions goes before", () => {
    const { status, stdout } = deploy();
    expect(status).toBe(0);
    expect(stdout).toContain("update   policy svc-execution");
    expect(changes()[0]).toContain(`delete-policy-version --policy-arn ${arn} --version-id v1 `);
    const [union, narrowed, ...more] = written();
    expect(more).toEqual([]);
    expect(union.Statement[0].Action).toEqual([...new Set(["kinesis:*", ...ownPolicy.Statement[0].Action])].toSorted());
    expect(union.Statement.slice(1)).toEqual(ownPolicy.Statement.slice(1));
    expect(narrowed).toEqual(ownPolicy);
    const order = changes().map((line) => line.split(" ").slice(0, 3).join(" "));
    expect(order.lastIndexOf("aws iam create-policy-version")).toBeGreaterThan(order.lastIndexOf("cdk deploy --app"));
    expect(order.indexOf("aws iam create-policy-version")).toBeLessThan(order.indexOf("cdk deploy --app"));
  });

  test("keeps them while another stage of the account has another version", () => {
    writeFileSync(file("versions-of-stages"), '[["svc-other","0.0.9"],["svc-other-alarms",null]]');
    const { status, stdout } = deploy();
    expect(status).toBe(0);
    expect(written()).toHaveLength(1);
    expect(stdout).toContain("svc-execution keep the rights of other versions: svc-other in eu-west-3 is 0.0.9.");
  });

  test("keeps them if the deployment fails", () => {
    expect(deploy(undefined, { FAILING: own, ENDS: "UPDATE_ROLLBACK_COMPLETE" }).status).toBe(1);
    expect(written()).toHaveLength(1);
  });
});

describe("a stack that an earlier attempt has left", () => {
  test("is deleted, though it is protected, and made again, once nothing changes it any more", () => {
    prepare();
    exists(own, {}, "ROLLBACK_IN_PROGRESS", "ROLLBACK_COMPLETE");
    const { status, stdout, stderr } = deploy();
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain(`Waiting for the stack ${own} in eu-west-3: ROLLBACK_IN_PROGRESS.\n`);
    expect(stdout).toContain(`remake   stack ${own} in eu-west-3, which is ROLLBACK_COMPLETE: 1 resources`);
    expect(changes().filter((line) => line.includes(`${own} `))).toEqual([
      expect.stringContaining("update-termination-protection"),
      expect.stringContaining("delete-stack"),
      expect.stringMatching(/^cdk deploy /),
    ]);
  });

  test("is rolled back before it is updated, if its update failed", () => {
    prepare();
    exists(own, { Table: table({}) }, "UPDATE_FAILED");
    const { status, stdout } = deploy();
    expect(status).toBe(0);
    expect(stdout).toContain(
      `update   stack ${own} in eu-west-3, which is UPDATE_FAILED, once that is undone: no change`,
    );
    expect(changes().filter((line) => line.includes(own))).toEqual([
      expect.stringMatching(new RegExp(`^cdk deploy .* ${edgeStack} `)),
      expect.stringContaining(`aws cloudformation rollback-stack --stack-name ${own} `),
      expect.stringMatching(new RegExp(`^cdk deploy .* ${own} `)),
    ]);
  });
});

test.each([
  ["UPDATE_ROLLBACK_COMPLETE", "CloudFormation has undone the update: the stage is as it was."],
  ["UPDATE_ROLLBACK_FAILED", "it continues the rollback."],
  ["ROLLBACK_COMPLETE", "it makes the stack again."],
])("a deployment that ends as %s names what failed, and what the stage is now", (ENDS, outcome) => {
  prepare();
  const { status, stdout, stderr } = deploy(undefined, { FAILING: own, ENDS });
  expect({ status, lines: stderr.trim().split("\n") }).toEqual({
    status: 1,
    lines: [
      `The stack ${own} in eu-west-3 was not deployed:`,
      "  Bus (AWS::Events::EventBus): svc-trial already exists",
      expect.stringContaining(outcome),
    ],
  });
  expect(stdout).not.toContain("Then sign in");
});

test("a deployment that fails before CloudFormation begins shows the CDK's last lines", () => {
  prepare();
  const { status, stderr } = deploy(undefined, { FAILING: own });
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/the CDK's last line\n.*trial\.log\)\n {2}CloudFormation has changed nothing\./),
  ]);
});

describe("the plan", () => {
  const replacing = { createOnlyProperties: ["/properties/BucketName", "/properties/KeySchema"] };
  beforeEach(() => {
    prepare();
    writeFileSync(file("schema"), JSON.stringify({ Schema: JSON.stringify(replacing) }));
  });

  test("counts what is added, changed and removed, and names what holds data or serves players", () => {
    exists(own, {
      Table: table({ BillingMode: "1" }),
      Queue: { Type: "AWS::SQS::Queue" },
      Old: { Type: "AWS::SNS::Topic" },
    });
    template(own, {
      Table: table({ BillingMode: "2" }),
      Queue: { Type: "AWS::SQS::Queue", Metadata: { "aws:cdk:path": "x" } },
      New: {},
    });
    const { status, stdout } = deploy();
    expect(status).toBe(0);
    expect(stdout).toContain(
      `update   stack ${own} in eu-west-3: 1 added, 1 changed, 1 removed\n             change table Table (BillingMode)\n`,
    );
  });

  test("has what would be lost, which --yes refuses unless it is allowed by name", () => {
    exists(own, { Games: table({ KeySchema: ["a"] }) });
    template(own, { Games: table({ KeySchema: [] }) });
    const { status, stdout, stderr } = deploy();
    expect([status, stderr]).toEqual([1, expect.stringMatching(/If you mean it, add --allow Games\n$/)]);
    expect(stdout).toContain("             REPLACE table Games (KeySchema)\n");
    expect(deploy(["trial", "--yes", "--allow", "Other"]).status).toBe(1);
    expect(changes()).toEqual([]);
    expect(deploy(["trial", "--yes", "--allow", "Games"]).status).toBe(0);
  });

  test("names stacks that the settings no longer have, and --prune deletes them", () => {
    for (const name of ["svc-trial-alarms", "svc-trial-games-00000000", "svc-trial-2", "svc-trial-pipeline"])
      exists(name);
    expect(deploy().stdout).toContain(
      "keep     stack svc-trial-alarms in us-east-1, which the stage no longer has: --prune",
    );
    expect(changes().filter((line) => line.includes("delete-stack"))).toEqual([]);
    const { status, stdout } = deploy(["trial", "--yes", "--prune"]);
    expect(status).toBe(0);
    expect(stdout).toContain("delete   stack svc-trial-alarms in us-east-1, which the stage no longer has");
    expect(changes().flatMap((line) => /delete-stack --stack-name (\S+)/.exec(line)?.[1] ?? [])).toEqual([
      "svc-trial-alarms",
      "svc-trial-games-00000000",
    ]);
  });
});

test("a stack that delivers the log of a former distribution is made again for the present one", () => {
  prepare();
  exists("svc-trial-games-log");
  const LISTED = `${edgeStack} ${own} svc-trial-games-log`;
  const distribution = (id: string) => JSON.stringify([{ OutputKey: "GamesDistributionId", OutputValue: id }]);
  const deletions = (id: string) => {
    writeFileSync(join(folder, "outputs", "svc-trial-games-log"), distribution(id));
    writeFileSync(file("calls"), "");
    expect(deploy(undefined, { LISTED }).status).toBe(0);
    return changes()
      .filter((line) => line.includes("svc-trial-games-log"))
      .map((line) => line.split(" ")[2]);
  };
  expect(deletions("E1")).toEqual(["update-termination-protection", "delete-stack", "--app"]);
  expect(deletions("E2")).toEqual(["--app"]);
});

describe("--destroy", () => {
  const others = ["svc-trial-alarms", "svc-trial-monitoring", "svc-trial-games-log"];
  const all = [own, ...others, "svc-trial-certificates", edgeStack];
  const destroy = (...more: string[]) => deploy(["trial", "--destroy", "--yes", ...more]);

  test("deletes every stack of the stage, the readers of outputs first, and says what stays", () => {
    for (const name of [...all, "svc-trial-2", "svc-trial-pipeline"]) exists(name);
    const { status, stdout, stderr } = destroy();
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const deleted = changes().flatMap((line) => /delete-stack --stack-name (\S+)/.exec(line)?.[1] ?? []);
    expect(deleted).toEqual([...others, own, "svc-trial-certificates", edgeStack]);
    for (const line of [
      "delete   stack svc-trial in eu-west-3",
      "keep     tables, buckets, logs and user pool, which cost on",
    ])
      expect(stdout).toContain(line);
  });

  test.each([
    [["--delete-data", "other"], "--delete-data must repeat the stage's name, trial: nothing was deleted."],
    [["--delete-data"], "--delete-data"],
  ])("with %j deletes nothing", (more, sentence) => {
    exists(own);
    const { status, stderr } = destroy(...more);
    expect([status, stderr]).toEqual([1, expect.stringContaining(sentence)]);
    expect(calls()).toEqual([]);
  });

  test("of another account deletes nothing", () => {
    exists(own);
    const { status, stderr } = deploy(["trial", "--destroy", "--yes"], { ACCOUNT: "222222222222" });
    expect([status, stderr]).toEqual([1, expect.stringContaining("your credentials are of 222222222222")]);
    expect(changes()).toEqual([]);
  });

  test("asks before it deletes", () => {
    exists(own);
    const { status, stderr } = deploy(["trial", "--destroy"]);
    expect([status, stderr]).toEqual([1, expect.stringContaining("There is no terminal to ask on")]);
    expect(changes()).toEqual([]);
  });

  test("empties the buckets of a disposable stage, which CloudFormation deletes only then", () => {
    writeFileSync(file("stages.json"), JSON.stringify({ trial: { ...stage, disposable: true } }));
    exists(own);
    const bucket = {
      ResourceType: "AWS::S3::Bucket",
      PhysicalResourceId: "svc-trial-files1",
      ResourceStatus: "CREATE_COMPLETE",
    };
    writeFileSync(file("resources"), JSON.stringify({ StackResourceSummaries: [bucket] }));
    expect(destroy().status).toBe(0);
    const order = changes().map((line) => line.split(" ")[2]);
    expect(order).toEqual(["rm", "update-termination-protection", "delete-stack"]);
  });

  test("of a stage that is not there says so", () => {
    const { status, stdout } = destroy();
    expect([status, stdout]).toEqual([
      0,
      `The stage trial has no stack in the account ${account}, and has left nothing.\n`,
    ]);
  });
});

test("a stage that is not in the file is not made by mistake", () => {
  const command = `${process.execPath} programs/deploy.ts tria --stages ${file("stages.json")}`;
  const PATH = [file("bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const { stdout } = spawnSync("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    encoding: "utf8",
    input: "\n",
    env: { PATH, TERM: "xterm", ACCOUNT: account, QUOTA: "10" },
  });
  expect(stdout).toContain('has no stage "tria", only trial. Make a new one? [y/N]');
  expect(stdout).toContain("Nothing was changed.");
  expect(Object.keys(JSON.parse(readFileSync(file("stages.json"), "utf8")))).toEqual(["trial"]);
});

test.each([
  [{ IAM: "AccessDenied" }, "PowerUserAccess, for one, lacks iam"],
  [
    { STS: 'x) Could not connect to the endpoint URL: "http://127.0.0.1:1/"', AWS_ENDPOINT_URL: "http://127.0.0.1:1" },
    "(AWS_ENDPOINT_URL is http://127.0.0.1:1)",
  ],
  [
    { WARNING: "[Error at /svc-trial] wrong" },
    "[Error at /svc-trial] wrong\nThe CDK could not synthesise the stacks.\n",
  ],
])("with %j says what is to be done: %s", (env, sentence) => {
  const { status, stderr } = deploy(undefined, env as Record<string, string>);
  expect([status, stderr]).toEqual([1, expect.stringContaining(sentence)]);
  expect(changes()).toEqual([]);
});

test("a region whose CloudFormation may do everything is prepared again", () => {
  prepare();
  expect(deploy(undefined, { ATTACHED: "AdministratorAccess" }).status).toBe(0);
  expect(changes().filter((line) => line.startsWith("cdk bootstrap"))).toHaveLength(2);
});

test.each([
  [{ ACCOUNT: "222222222222" }, "is of account 111111111111, your credentials are of 222222222222."],
  [{ QUOTA: "9" }, "concurrentExecutions is 10, and the account's quota is 9"],
  [{ CERTIFICATE: "PENDING_VALIDATION" }, `${certificateArn("us-east-1")} is PENDING_VALIDATION, not ISSUED`],
])("with %j nothing is changed, and the fault is named: %s", (env, fault) => {
  const { status, stderr } = deploy(undefined, env);
  expect([status, stderr]).toEqual([1, expect.stringContaining(fault)]);
  expect(calls().filter((line) => line.startsWith("cdk"))).toEqual([]);
  expect(changes()).toEqual([]);
});

test.each([
  [["--help"], 0, ""],
  [[], 1, "Say which stage.\n"],
  [["trial", "--bogus"], 1, "Unknown option '--bogus'.\n"],
])("%j prints how it is called, and asks AWS nothing", (args, status, sentence) => {
  const result = deploy(args);
  expect({ ...result, status: result.status }).toEqual({
    status,
    stdout: "",
    stderr: "",
    [status === 0 ? "stdout" : "stderr"]: expect.stringMatching(
      new RegExp(`^${sentence}Usage: npm run deploy -- STAGE `),
    ),
  });
  expect(calls()).toEqual([]);
});

test("without --yes and without a terminal nothing is changed, also if the stage is not known", () => {
  for (const args of [["trial"], ["other", "--yes"]]) {
    const { status, stderr } = deploy(args);
    expect([status, stderr]).toEqual([1, expect.stringContaining("There is no terminal to ask on")]);
    expect(changes()).toEqual([]);
  }
});

test.each([
  ["firebase demo", stage.identityProvider],
  ["", "cognito"],
])("three answers on a terminal make a stage, which is written before anything is changed: %p", (answer, provider) => {
  rmSync(file("stages.json"));
  const command = `${process.execPath} programs/deploy.ts demo --stages ${file("stages.json")}`;
  const PATH = [file("bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const { stdout } = spawnSync("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    encoding: "utf8",
    input: `eu-west-3\n${answer}\nalarms@example.com\nn\n`,
    env: { PATH, TERM: "xterm", ACCOUNT: account, QUOTA: "10", LISTED: own },
  });
  expect(stdout).toContain("Everybody who can sign in there can become a developer and publish, unless");
  expect(stdout).toContain("Do it? [y/N]");
  expect(stdout).toContain("Nothing was changed.");
  const { domain: _, gamesDomain: __, ...asked } = stage;
  expect(JSON.parse(readFileSync(file("stages.json"), "utf8"))).toEqual({
    demo: { ...asked, identityProvider: provider },
  });
  expect(changes()).toEqual([]);
});

describe("--first-developer", () => {
  const service = useService({});
  const email = "ada@example.com";
  const { domain: _, gamesDomain: __, ...small } = stage;
  const run = async (env: Record<string, string> = {}, provider: unknown = "cognito") => {
    prepare();
    writeFileSync(file("stages.json"), JSON.stringify({ trial: { ...small, identityProvider: provider } }));
    const POOL_ID_TOKEN = await service.idToken({ sub: `ada-${Math.random()}`, email, email_verified: true });
    return deploy(["trial", "--yes", "--first-developer", email], { API: service.api, POOL_ID_TOKEN, ...env });
  };
  const cognito = () =>
    existsSync(file("cognito"))
      ? readFileSync(file("cognito"), "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
      : [];

  test("ends with a token that works, and nobody is told a password", async () => {
    const { status, stdout, stderr } = await run();
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const [token = "", ...more] = stdout.match(/pat_\w+/g) ?? [];
    expect(more).toEqual([]);
    const me = await fetch(`${service.api}/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(await me.json()).toMatchObject({
      user: { email, role: "dev" },
      auth: { kind: "token", scopes: ["publish", "projects"] },
    });
    const [created, password, signIn] = cognito();
    expect(created).toMatchObject({ UserPoolId: "pool", Username: email, MessageAction: "SUPPRESS" });
    expect(created.UserAttributes).toContainEqual({ Name: "email_verified", Value: "true" });
    expect(created).not.toHaveProperty("TemporaryPassword");
    expect(password).toEqual({ UserPoolId: "pool", Username: email, Password: expect.any(String), Permanent: true });
    expect(password.Password.length).toBeGreaterThan(40);
    expect(signIn).toMatchObject({ ClientId: "client", AuthParameters: { PASSWORD: password.Password } });
    for (const text of [stdout, calls().join("\n")]) expect(text).not.toContain(password.Password);
    expect(calls().join("\n")).not.toContain(token);
    const inputs = calls().flatMap((line) => /--cli-input-json file:\/\/(\S+)/.exec(line)?.[1] ?? []);
    expect(inputs).toHaveLength(3);
    expect(inputs.filter((path) => existsSync(path))).toEqual([]);
  });

  describe("on a stage whose operator approves developers", () => {
    const approving = useService({ env: { DEVELOPER_APPROVAL: "1" } });

    test("approves that person", async () => {
      const {
        TABLE_NAME: TABLE = "",
        IDP_ISSUER: ISSUER = "",
        DYNAMODB_ENDPOINT = "",
      } = functionEnvironment(approving);
      const POOL_ID_TOKEN = await approving.idToken({ sub: "ada", email, email_verified: true });
      const { status, stdout, stderr } = await run({
        DYNAMODB_ENDPOINT,
        TABLE,
        ISSUER,
        API: approving.api,
        POOL_ID_TOKEN,
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      const [token = ""] = stdout.match(/pat_\w+/g) ?? [];
      const me = await fetch(`${approving.api}/me`, { headers: { authorization: `Bearer ${token}` } });
      expect(await me.json()).toMatchObject({ user: { email, role: "dev" } });
    });
  });

  test("leaves who is in the pool already as they are", async () => {
    const { status, stdout, stderr } = await run({ REFUSED: "admin-create-user", REFUSAL: "UsernameExistsException" });
    expect([status, stderr]).toEqual([1, expect.stringContaining(`${email} is in the user pool of trial already`)]);
    expect(cognito()).toHaveLength(1);
    expect(stdout).not.toContain("pat_");
  });

  test("takes the user back if the API refuses the sign-in, so that it can be repeated", async () => {
    const { status, stderr } = await run({ POOL_ID_TOKEN: "x.y.z" });
    expect([status, stderr]).toEqual([1, expect.stringContaining("The API refused /auth/session")]);
    expect(calls().at(-1)).toContain("aws cognito-idp admin-delete-user ");
  });

  const { issuer } = stage.identityProvider;
  const idToken = (claims: object) => `.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.`;
  test("is refused before anything is changed", async () => {
    const { status, stderr } = await run({ CI: "true" });
    expect([status, stderr]).toEqual([1, expect.stringContaining("which the log of a CI job would keep")]);
    expect(changes()).toEqual([]);
  });

  test.each<[string, NodeJS.ProcessEnv, string]>([
    ["without an ID token", {}, `Only ${issuer} can sign ${email} in.`],
    ...[{ iss: issuer, email: "bob@example.com" }, { iss: "https://other.example.com", email }, {}].map(
      (claims): [string, NodeJS.ProcessEnv, string] => [
        `with an ID token with ${JSON.stringify(claims)}`,
        { ID_TOKEN: idToken(claims) },
        `ID_TOKEN must be an ID token of ${issuer} for ${email}.`,
      ],
    ),
    ["with a text that is none", { ID_TOKEN: "x" }, "ID_TOKEN must be an ID token"],
  ])("of another provider is refused %s", (_, env, sentence) => {
    expect(() => refuseFirstDeveloper(readStage("trial", { trial: stage }), email, env)).toThrow(sentence);
  });

  test("uses the ID token of another provider", async () => {
    const ID_TOKEN = idToken({ iss: issuer, email: email.toUpperCase() });
    const { status, stderr } = await run({ ID_TOKEN }, stage.identityProvider);
    // The API verifies it.
    expect([status, stderr]).toEqual([1, expect.stringContaining("(id_token_invalid)")]);
    expect(cognito()).toEqual([]);
  });

  test("says what to do if the API does not respond yet", async () => {
    prepare();
    writeFileSync(file("stages.json"), JSON.stringify({ trial: { ...stage, identityProvider: "cognito" } }));
    const { status, stderr } = deploy(["trial", "--yes", "--first-developer", email], { API: "http://127.0.0.1:1" });
    expect([status, stderr]).toEqual([
      1,
      `http://127.0.0.1:1 does not respond yet. When it does (its DNS record?), run again: npm run deploy -- trial --first-developer ${email}\n`,
    ]);
    expect(cognito()).toEqual([]);
  });
});
