import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "@jest/globals";
import { smokeProject } from "../../infra/smoke/smoke-games.ts";
import { type CliUser, createCliUser, writeFiles } from "../../test/support/cli/cli.ts";
import { root } from "../../test/support/documents.ts";
import { actorsOf, type Developer } from "../../test/support/service/actors.ts";
import { makeLive, newProject, publish, sha256 } from "../../test/support/service/steps.ts";
import { testWith } from "../foreign-tools.ts";
import { apiIn, type Cloud, cloudTool, startCloud } from "./cloud.ts";
import { startDeployedEdge } from "./deployed-edge.ts";

/*
 * A stage with every option: names of its own, a user pool, dashboard, games, statistics, health checks, copies in another account, mail and
 * the pipeline's roles. MiniStack's CloudFront cannot play games, so a location of the model of CloudFront runs what is deployed there
 * (deployed-edge.ts); what only CloudFront shows stays with the table of games in docs/operations/first-hour.md.
 * - The CDK's function that copies the page into its bucket does not run. This test copies the page.
 */

const test = testWith(cloudTool);
const assembly = join(root, "build/deploy/full");

let cloud: Cloud;
let deployed: string;
let api: string;
let outputs: ReadonlyMap<string, string>;
let edge: Awaited<ReturnType<typeof startDeployedEdge>>;
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
  outputs = await cloud.outputsOf("svc-full");
  edge = await startDeployedEdge(cloud, "svc-full");
}, 900_000);
afterAll(async () => {
  await edge?.stop();
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
  const version = (await cloud.outputsOf(origin)).get("GamesOrigin");
  expect(version).toMatch(/^arn:aws:lambda:us-east-1:\d{12}:function:svc-full-games-.*:1$/);
  const behaviors = [config.DefaultCacheBehavior, ...config.CacheBehaviors.Items];
  expect(behaviors).toHaveLength(3);
  for (const { LambdaFunctionAssociations: lambdas, FunctionAssociations: functions } of behaviors) {
    expect(lambdas.Items).toEqual(
      ["origin-request", "origin-response"].map((EventType) =>
        expect.objectContaining({ EventType, LambdaFunctionARN: version }),
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

test("a publication writes the game's pointer into CloudFront's store, by a signature that the foreign cloud verifies", async () => {
  ada = await actorsOf({ api, idToken }).developer();
  const slug = await newProject(ada);
  const { credential } = await ada.token({ scopes: ["publish"] });
  writeFiles(`${person.home}/game`, { "index.html": "<h1>game</h1>" });
  const env = { ...cloud.clientEnv, SVC_API: api, SVC_TOKEN: credential };
  const published = await person.run(["publish", "game", "-p", slug, "--json"], { env });
  if (published.code !== 0) throw new Error(`${published.stdout}${published.stderr}\n${cloud.log().slice(-3_000)}`);
  const pointer = await edge.store.get(slug);
  const bucket = await physicalId(/^Files[0-9A-F]{8}$/);
  const prefix = `projects/${slug}/manifests/`;
  const { Contents: manifests } = await cloud.aws("s3api", "list-objects-v2", "--bucket", bucket, "--prefix", prefix);
  const digest = manifests[0].Key.replace(prefix, "");
  expect(pointer).toMatch(new RegExp(`^l\\.${Buffer.from(digest, "hex").toString("base64url")}\\.`));
}, 300_000);

test("the deployed functions play what is live, at the game's own host: a page, a file, a release after it, and nothing once it is offline", async () => {
  const slug = await newProject(ada);
  const url = `https://${slug}.games.example.net/`;
  const goLive = async (text: string) => {
    const folder = { "index.html": `<h1>${text}</h1>`, "game.js": `let game = "${text}";` };
    return await publish(ada, slug, folder);
  };
  const open = async (path: string) => {
    const response = await fetch(url + path, { headers: { "sec-fetch-dest": path === "" ? "document" : "script" } });
    return { status: response.status, text: await response.text(), headers: Object.fromEntries(response.headers) };
  };
  expect((await open("")).status).toBe(404);
  const first = await goLive("first");
  expect(await open("")).toMatchObject({
    status: 200,
    text: "<h1>first</h1>",
    headers: {
      "content-type": "text/html; charset=utf-8",
      "set-cookie": expect.stringMatching(
        /^__Host-svc-release=.*; Path=\/; Secure; HttpOnly; SameSite=None; Partitioned$/,
      ),
      "strict-transport-security": "max-age=31536000; includeSubDomains",
    },
  });
  expect(await open("game.js")).toMatchObject({
    text: 'let game = "first";',
    headers: { etag: `"${sha256('let game = "first";')}"`, "x-cache": "Miss from cloudfront" },
  });
  expect((await open("game.js")).headers["x-cache"]).toBe("Hit from cloudfront");
  expect((await open("none.js")).status).toBe(404);
  await goLive("second");
  expect((await open("")).text).toBe("<h1>second</h1>");
  await makeLive(ada, slug, first);
  expect((await open("")).text).toBe("<h1>first</h1>");
  expect((await ada.post(`/projects/${slug}/unpublish`)).status).toBe(200);
  expect((await open("")).status).toBe(404);
}, 300_000);

test("npm run smoke finds nothing wrong at the game's own host", async () => {
  await newProject(ada, smokeProject);
  const { credential } = await ada.token({ scopes: ["publish"], projects: [smokeProject] });
  const { stdout } = await cloud.run("node", ["programs/smoke.ts", api], { ...cloud.clientEnv, SVC_TOKEN: credential });
  const failed = [...stdout.matchAll(/^ {2}FAILED +(.*)$/gm)].map(([, fact = ""]) => fact);
  // MiniStack has a GET /health of its own.
  expect(failed).toEqual([expect.stringContaining("the API responds and has version")]);
  expect(stdout).toContain("ok      it plays at its own host");
}, 300_000);

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
