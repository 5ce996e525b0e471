import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { functionEnvironment } from "../test/support/service/function-environment.ts";
import { useService } from "../test/support/service/suite.ts";

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
const changes = () => calls().filter((line) => /create-policy|delete-policy|cdk (bootstrap|deploy)/.test(line));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-deploy-command-"));
  for (const name of ["bin", "existing", "policies"]) mkdirSync(file(name));
  writeFileSync(file("stages.json"), JSON.stringify({ trial: stage }));
  program(
    "aws",
    `echo "aws $*" >> ${folder}/calls
    refuse() { echo "An error occurred ($1)" >&2; exit 254; }
    case "$1 $2" in
      "sts get-caller-identity") echo "{\\"Account\\":\\"$ACCOUNT\\"}" ;;
      "lambda get-account-settings") echo "{\\"AccountLimit\\":{\\"ConcurrentExecutions\\":$QUOTA}}" ;;
      "acm describe-certificate") echo "{\\"Certificate\\":{\\"Status\\":\\"$CERTIFICATE\\"}}" ;;
      "cloudformation describe-stacks")
        # The stage's own stack exists once it is deployed.
        [ -e ${folder}/existing/$4 ] || grep -qs "cdk deploy" ${folder}/calls || refuse "Stack with id $4 does not exist"
        echo '{"Stacks":[{"Outputs":[{"OutputKey":"ApiAddress","OutputValue":"'"$API"'"},{"OutputKey":"DomainTarget","OutputValue":"d-1.example"},{"OutputKey":"GamesTarget","OutputValue":"d1.cloudfront.net"},{"OutputKey":"Version","OutputValue":"0.0.9"},{"OutputKey":"TableName","OutputValue":"'"$TABLE"'"},{"OutputKey":"Issuer","OutputValue":"'"$ISSUER"'"},{"OutputKey":"UserPoolId","OutputValue":"pool"},{"OutputKey":"UserPoolClientId","OutputValue":"client"}]}]}' ;;
      "iam get-policy") [ -e ${folder}/policies/\${4##*/} ] || refuse NoSuchEntity; echo '{"Policy":{"DefaultVersionId":"v5"}}' ;;
      "iam get-policy-version") echo "{\\"PolicyVersion\\":{\\"Document\\":$(cat ${folder}/policies/\${4##*/})}}" ;;
      "iam list-policy-versions") cat ${folder}/versions ;;
      "cognito-idp "*)
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
      synth) mkdir -p "$assembly"; cp ${folder}/manifest "$assembly/manifest.json" ;;
      ls) printf 'svc-trial-games-0a1b2c3d\\nsvc-trial\\n' ;;
    esac`,
  );
  const artifacts = {
    "svc-trial-games-0a1b2c3d": { environment: `aws://${account}/us-east-1` },
    "svc-trial": { environment: `aws://${account}/eu-west-3` },
  };
  writeFileSync(file("manifest"), JSON.stringify({ artifacts }));
});
afterEach(() => rmSync(folder, { recursive: true }));

function program(name: string, script: string): void {
  writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, "bin", name), 0o755);
}

function deploy(args: readonly string[] = ["trial", "--yes"], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["infra/deploy.ts", ...args, "--stages", file("stages.json")],
    {
      encoding: "utf8",
      input: "",
      env: {
        PATH: [file("bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter),
        ...{
          ACCOUNT: account,
          QUOTA: "10",
          CERTIFICATE: "ISSUED",
          ATTACHED: "svc-execution",
          API: "https://api.example.com",
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
  for (const name of ["CDKToolkit", "svc-trial", "svc-trial-games-0a1b2c3d"])
    writeFileSync(join(folder, "existing", name), "");
  for (const [name, path] of [
    ["svc-boundary", "infra/permissions-boundary.json"],
    ["svc-execution", "infra/execution-policy.json"],
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
  ]);
  const bootstraps = changes().filter((line) => line.startsWith("cdk bootstrap"));
  for (const line of bootstraps)
    expect(line).toMatch(new RegExp(`--cloudformation-execution-policies ${policyArn("svc-execution")}$`));
  expect(changes().at(-1)).toMatch(/ --all --require-approval never$/);
  // No call makes an assembly in a folder that a deployment of another stage uses too.
  const assembly = join(process.cwd(), "build/deploy/trial");
  const ofCdk = calls().filter((line) => line.startsWith("cdk "));
  expect(ofCdk.map((line) => /(--app|--output) (\S+)/.exec(line)?.slice(1))).toEqual([
    ["--output", assembly],
    ...Array.from({ length: 4 }, () => ["--app", assembly]),
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

test("in an account that is prepared by this version it only deploys", () => {
  prepare();
  const { status, stdout } = deploy();
  expect(status).toBe(0);
  expect(stdout).toMatch(/, version \d+\.\d+\.\d+, in place of 0\.0\.9: see CHANGELOG\.md:\n/);
  expect(stdout).toContain("update   stack svc-trial in eu-west-3");
  expect(changes()).toEqual([expect.stringMatching(/^cdk deploy /)]);
});

test("a policy of another version is replaced, and the oldest of five versions goes before", () => {
  prepare();
  writeFileSync(join(folder, "policies", "svc-execution"), '{"Version":"2012-10-17","Statement":[]}');
  const versions = [5, 3, 2, 4, 1].map((id) => ({
    VersionId: `v${id}`,
    IsDefaultVersion: id === 5,
    CreateDate: `2026-11-0${id}T00:00:00Z`,
  }));
  writeFileSync(file("versions"), JSON.stringify({ Versions: versions }));
  const { status, stdout } = deploy();
  expect(status).toBe(0);
  expect(stdout).toContain("update   policy svc-execution");
  const arn = policyArn("svc-execution");
  expect(changes().slice(0, 2)).toEqual([
    expect.stringContaining(`delete-policy-version --policy-arn ${arn} --version-id v1 `),
    expect.stringMatching(/create-policy-version .*execution-policy\.json --set-as-default /),
  ]);
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
  [["trial", "other"], 1, "Say which stage.\n"],
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
  const command = `${process.execPath} infra/deploy.ts demo --stages ${file("stages.json")}`;
  const PATH = [file("bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const { stdout } = spawnSync("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    encoding: "utf8",
    input: `eu-west-3\n${answer}\nalarms@example.com\nn\n`,
    env: { PATH, TERM: "xterm", ACCOUNT: account, QUOTA: "10" },
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
  test.each([
    ["a CI job", { CI: "true" }, "cognito", "which the log of a CI job would keep"],
    ["another provider without an ID token", {}, stage.identityProvider, `Only ${issuer} can sign ${email} in.`],
    ...[{ iss: issuer, email: "bob@example.com" }, { iss: "https://other.example.com", email }, {}].map(
      (claims) =>
        [
          `another provider's ID token with ${JSON.stringify(claims)}`,
          { ID_TOKEN: idToken(claims) },
          stage.identityProvider,
          `ID_TOKEN must be an ID token of ${issuer} for ${email}.`,
        ] as const,
    ),
    ["no ID token at all", { ID_TOKEN: "x" }, stage.identityProvider, "ID_TOKEN must be an ID token"],
  ])("is refused before anything is changed: %s", async (_, env, provider, sentence) => {
    const { status, stderr } = await run(env as Record<string, string>, provider);
    expect([status, stderr]).toEqual([1, expect.stringContaining(sentence)]);
    expect(changes()).toEqual([]);
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
