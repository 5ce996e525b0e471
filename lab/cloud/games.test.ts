import { lookup } from "node:dns";
import { readFileSync } from "node:fs";
import { Agent } from "node:https";
import { join } from "node:path";
import "@aws-sdk/signature-v4a";
import { CloudFrontKeyValueStoreClient, GetKeyCommand } from "@aws-sdk/client-cloudfront-keyvaluestore";
import { afterAll, beforeAll, expect } from "@jest/globals";
import { type CliUser, createCliUser, writeFiles } from "../../test/support/cli/cli.ts";
import { root } from "../../test/support/documents.ts";
import { actorsOf, type Developer } from "../../test/support/service/actors.ts";
import { newProject } from "../../test/support/service/steps.ts";
import { testWith } from "../foreign-tools.ts";
import { apiIn, type Cloud, cloudTool, startCloud } from "./cloud.ts";

/*
 * A stage with every option: names of its own, a user pool, dashboard, games, statistics, health checks, copies in another account, mail and
 * the pipeline's roles. What MiniStack's CloudFront lacks stays with test/support/edge and the table of games in docs/operations/first-hour.md:
 * - Lambda@Edge and caching. Its viewer functions cannot import `cloudfront`, so each request of a player gets 503.
 * - The CDK's function that copies the page into its bucket does not run. This test copies the page.
 */

const test = testWith(cloudTool);
const assembly = join(root, "build/deploy/full");

let cloud: Cloud;
let deployed: string;
let api: string;
let outputs: ReadonlyMap<string, string>;
let ada: Developer;
let person: CliUser;

beforeAll(async () => {
  if (cloudTool.missing !== undefined) return;
  cloud = await startCloud();
  person = createCliUser();
  const named = async (name: string) => ({
    name,
    certificateArn: (await cloud.aws("acm", "request-certificate", "--domain-name", name)).CertificateArn,
  });
  deployed = await cloud.deploy("full", {
    disposable: true,
    identityProvider: "cognito",
    domain: await named("api.example.com"),
    dashboard: { domain: await named("dashboard.example.com") },
    gamesDomain: await named("games.example.net"),
    healthChecks: true,
    mailFrom: "svc <no-reply@example.com>",
    traffic: { projectGigabytes: 1 },
    backup: { vaultArn: "arn:aws:backup:eu-central-1:333333333333:backup-vault:svc-copies", bucket: "svc-files-copy" },
    repository: "example@1234567/games@89012345",
  });
  api = apiIn(deployed);
  const { Stacks: own } = await cloud.aws("cloudformation", "describe-stacks", "--stack-name", "svc-full");
  outputs = new Map(
    own[0].Outputs.map(({ OutputKey, OutputValue }: Record<string, string>) => [OutputKey, OutputValue]),
  );
}, 900_000);
afterAll(async () => {
  await cloud?.stop();
  person?.leave();
});

/** The stacks that the deployment has announced. */
const stacks = () => [...deployed.matchAll(/^ {2}create {3}stack (\S+) /gm)].map(([, name = ""]) => name);

const resourcesOf = async (stack: string) =>
  (await cloud.aws("cloudformation", "list-stack-resources", "--stack-name", stack)).StackResourceSummaries as {
    LogicalResourceId: string;
    PhysicalResourceId: string;
    ResourceType: string;
    ResourceStatus: string;
  }[];

/** The name of a resource of the stage's own stack. */
const physicalId = async (logicalId: RegExp): Promise<string> =>
  (await resourcesOf("svc-full")).find(({ LogicalResourceId }) => logicalId.test(LogicalResourceId))
    ?.PhysicalResourceId ?? "";

test("each stack has every resource that the foreign cloud can make", async () => {
  let count = 0;
  for (const stack of stacks()) {
    const template = readFileSync(join(assembly, `${stack}.template.json`), "utf8");
    const wanted = Object.values<{ Type: string }>(JSON.parse(template).Resources);
    if (wanted.length === 0) continue;
    const made = await resourcesOf(stack);
    expect(made.map(({ ResourceType, ResourceStatus }) => [ResourceType, ResourceStatus]).sort()).toEqual(
      wanted.map(({ Type }) => [Type, "CREATE_COMPLETE"]).sort(),
    );
    count += made.length;
  }
  console.log(`${count} resources were made, ${cloud.leftOut().length} left out`);
});

test("no key of KMS is made, each of which costs a dollar a month", async () => {
  expect((await cloud.aws("kms", "list-keys")).Keys).toEqual([]);
});

test("the games' distribution runs the version of the other stack's function, and the viewer functions read the store", async () => {
  const { DistributionConfig: config } = await cloud.aws(
    ...["cloudfront", "get-distribution-config", "--id", outputs.get("GamesDistributionId") ?? ""],
  );
  const origin = stacks().find((stack) => /-games-[0-9a-f]{8}$/.test(stack)) ?? "";
  const { Stacks: described } = await cloud.aws("cloudformation", "describe-stacks", "--stack-name", origin);
  const version = described[0].Outputs.find(({ OutputKey }: { OutputKey: string }) => OutputKey === "GamesOrigin");
  expect(version.OutputValue).toMatch(/^arn:aws:lambda:us-east-1:\d{12}:function:svc-full-games-.*:1$/);
  const behaviors = [config.DefaultCacheBehavior, ...config.CacheBehaviors.Items];
  expect(behaviors).toHaveLength(3);
  for (const { LambdaFunctionAssociations: lambdas, FunctionAssociations: functions } of behaviors) {
    expect(lambdas.Items).toEqual(
      ["origin-request", "origin-response"].map((EventType) =>
        expect.objectContaining({ EventType, LambdaFunctionARN: version.OutputValue }),
      ),
    );
    for (const { FunctionARN } of functions.Items) {
      const name = FunctionARN.split("/").at(-1);
      const { FunctionSummary: summary } = await cloud.aws(
        "cloudfront",
        "describe-function",
        "--name",
        name,
        "--stage",
        "LIVE",
      );
      expect(summary.FunctionConfig.KeyValueStoreAssociations.Items).toEqual([
        { KeyValueStoreARN: outputs.get("GamesStoreArn") },
      ]);
    }
  }
});

/** The sign-in of a person of the stage's user pool. */
const idToken = async () => {
  const user = ["--user-pool-id", outputs.get("UserPoolId") ?? "", "--username", "ada@example.com"];
  const password = "aA1-correct-horse";
  const attributes = ["Name=email,Value=ada@example.com", "Name=email_verified,Value=true", "Name=name,Value=Ada"];
  await cloud.aws("cognito-idp", "admin-create-user", ...user, "--user-attributes", ...attributes);
  await cloud.aws("cognito-idp", "admin-set-user-password", ...user, "--password", password, "--permanent");
  const { AuthenticationResult } = await cloud.aws(
    ...["cognito-idp", "admin-initiate-auth", "--auth-flow", "ADMIN_USER_PASSWORD_AUTH"],
    ...["--user-pool-id", outputs.get("UserPoolId") ?? "", "--client-id", outputs.get("UserPoolClientId") ?? ""],
    ...["--auth-parameters", `USERNAME=ada@example.com,PASSWORD=${password}`],
  );
  return AuthenticationResult.IdToken as string;
};

/** MiniStack knows no resource of the store's actions, so a statement about one store allows a function nothing. */
const allowStore = async (functionName: string) => {
  const { Role: role } = await cloud.aws("lambda", "get-function-configuration", "--function-name", functionName);
  const actions = ["DescribeKeyValueStore", "UpdateKeys"].map((action) => `cloudfront-keyvaluestore:${action}`);
  const document = { Version: "2012-10-17", Statement: [{ Effect: "Allow", Action: actions, Resource: "*" }] };
  const policy = ["--policy-name", "every-store", "--policy-document", JSON.stringify(document)];
  await cloud.aws("iam", "put-role-policy", "--role-name", role.split("/").at(-1), ...policy);
};

test("a publication writes the game's pointer into CloudFront's store, by a signature that the foreign cloud verifies", async () => {
  ada = await actorsOf({ api, idToken }).developer();
  const slug = await newProject(ada);
  const { credential } = await ada.token({ scopes: ["publish"] });
  writeFiles(`${person.home}/game`, { "index.html": "<h1>game</h1>" });
  const env = { ...cloud.clientEnv, SVC_API: api, SVC_TOKEN: credential };
  await allowStore("svc-full-publish-release");
  const published = await person.run(["publish", "game", "-p", slug, "--json"], { env });
  if (published.code !== 0) throw new Error(`${published.stdout}${published.stderr}\n${cloud.log().slice(-3_000)}`);
  const store = new CloudFrontKeyValueStoreClient({
    endpoint: cloud.endpoint,
    // It puts the account's number before localhost, which not every system resolves.
    requestHandler: {
      httpsAgent: new Agent({ lookup: (_, options, callback) => lookup("localhost", options, callback) }),
    },
    region: cloud.region,
    credentials: { accessKeyId: cloud.env.AWS_ACCESS_KEY_ID, secretAccessKey: cloud.env.AWS_SECRET_ACCESS_KEY },
  });
  const KvsARN = outputs.get("GamesStoreArn") ?? "";
  const { Value: pointer } = await store.send(new GetKeyCommand({ KvsARN, Key: slug }));
  const bucket = await physicalId(/^Files[0-9A-F]{8}$/);
  const prefix = `projects/${slug}/manifests/`;
  const { Contents: manifests } = await cloud.aws("s3api", "list-objects-v2", "--bucket", bucket, "--prefix", prefix);
  const digest = manifests[0].Key.replace(prefix, "");
  expect(pointer).toMatch(new RegExp(`^l\\.${Buffer.from(digest, "hex").toString("base64url")}\\.`));
}, 300_000);

test("a player's request reaches the viewer function, which MiniStack does not let import CloudFront's module", async () => {
  const { status, headers } = await fetch(`https://${outputs.get("GamesTarget")}/`);
  expect([status, headers.get("x-cache")]).toEqual([503, "Error from cloudfront"]);
});

test("CloudFront serves the dashboard's files and views with its headers, and nobody else reads its bucket", async () => {
  const bucket = await physicalId(/^DashboardSiteFiles[0-9A-F]{8}$/);
  const copy = [
    "s3",
    "sync",
    "build/dashboard",
    `s3://${bucket}`,
    "--only-show-errors",
    "--endpoint-url",
    cloud.endpoint,
  ];
  expect(await cloud.run("aws", copy)).toMatchObject({ code: 0, stderr: "" });
  for (const path of ["/", "/tokens", "/projects/some-game"]) {
    const { status, headers } = await fetch(`https://${outputs.get("DashboardTarget")}${path}`);
    expect([path, status, headers.get("content-type")]).toEqual([path, 200, "text/html"]);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-security-policy": expect.stringContaining("default-src 'none'"),
      "strict-transport-security": "max-age=31536000; includeSubDomains",
      "cross-origin-opener-policy": "same-origin-allow-popups",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    });
  }
  expect((await fetch(`https://${bucket}.s3.${cloud.region}.amazonaws.com/index.html`)).status).toBe(403);
});

test("the pipeline's roles are deployed by a person, and trust the workflow of one repository", async () => {
  const context = ["-c", "stage=full", "-c", `stages=${cloud.stagesFile}`, "-c", "pipeline=true"];
  const { code, stderr } = await cloud.run("cdk", ["deploy", ...context, "--require-approval", "never"]);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  expect((await resourcesOf("svc-full-pipeline")).map(({ ResourceStatus }) => ResourceStatus)).toEqual(
    Array(4).fill("CREATE_COMPLETE"),
  );
  const { Role: role } = await cloud.aws("iam", "get-role", "--role-name", "svc-full-deploy");
  expect(JSON.stringify(role.AssumeRolePolicyDocument)).toContain(
    '"repo:example@1234567/games@89012345:environment:full"',
  );
}, 120_000);
