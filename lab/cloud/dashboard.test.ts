import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { launchBehindProxy } from "../../test/browser/chromium.ts";
import { drop } from "../../test/browser/dashboard/drop.ts";
import { type CliUser, createCliUser, writeFiles } from "../../test/support/cli/cli.ts";
import { testWith } from "../foreign-tools.ts";
import { apiIn, type Cloud, cloudTool, startCloud } from "./cloud.ts";

/*
 * The first developer of a stage as README deploys it, without a name of its own: signs in at the dashboard of CloudFront's own host name, by the
 * page of the stage's user pool, publishes there, and gets a new token after the first one has expired. What MiniStack lacks:
 * - The CDK's function that copies the page into its bucket does not run. This test copies the page, and writes its configuration.
 * - Its page sends no code by mail, so the operator sets the password that the person would choose by "Forgot password".
 * - Presigned URLs name its own host, so the page may send there too.
 */

const test = testWith(cloudTool);
const address = "ada@example.com";
const password = "aA1-correct-horse-battery";

let cloud: Cloud;
let api: string;
let token: string;
let outputs: ReadonlyMap<string, string>;
let person: CliUser;
let browser: Browser;

beforeAll(async () => {
  if (cloudTool.missing !== undefined) return;
  cloud = await startCloud();
  person = createCliUser();
  api = apiIn(await cloud.deploy("walk", { identityProvider: "cognito", dashboard: { origins: [cloud.endpoint] } }));
  const { HTTPS_PROXY, NODE_USE_ENV_PROXY, NO_PROXY } = cloud.clientEnv;
  const args = ["programs/deploy.ts", "walk", "--yes", "--stages", cloud.stagesFile, "--first-developer", address];
  const { code, stdout, stderr } = await cloud.run("node", args, { HTTPS_PROXY, NODE_USE_ENV_PROXY, NO_PROXY });
  if (code !== 0) throw new Error(`${stdout}${stderr}\n${cloud.log().slice(-3_000)}`);
  [token = ""] = /\bpat_\w+/.exec(stdout) ?? [];
  outputs = await cloud.outputsOf("svc-walk");
  await copyPage();
  browser = await launchBehindProxy(HTTPS_PROXY);
}, 900_000);
afterAll(async () => {
  await browser?.close();
  await cloud?.stop();
  person?.leave();
});

const output = (name: string) => outputs.get(name) ?? "";

async function copyPage(): Promise<void> {
  const { StackResourceSummaries: made } = await cloud.aws(
    ...["cloudformation", "list-stack-resources", "--stack-name", "svc-walk"],
  );
  const { PhysicalResourceId: bucket } = made.find(({ LogicalResourceId: id }: { LogicalResourceId: string }) =>
    /^DashboardSiteFiles[0-9A-F]{8}$/.test(id),
  );
  const toBucket = ["--only-show-errors", "--endpoint-url", cloud.endpoint];
  const copied = await cloud.run("aws", ["s3", "sync", "build/dashboard", `s3://${bucket}`, ...toBucket]);
  expect(copied).toMatchObject({ code: 0, stderr: "" });
  const identityProvider = {
    kind: "openIdConnect",
    issuer: output("Issuer"),
    clientId: output("UserPoolClientId"),
  };
  const configuration = { api, stage: "walk", commandLine: `${output("DashboardUrl")}/svc.tgz`, identityProvider };
  const file = join(cloud.folder, "configuration.json");
  writeFileSync(file, JSON.stringify(configuration));
  const written = await cloud.run("aws", ["s3", "cp", file, `s3://${bucket}/configuration.json`, ...toBucket]);
  expect(written).toMatchObject({ code: 0, stderr: "" });
}

/** Opens the dashboard in a browser that knows nothing of the person, and signs in at the pool's page. */
async function signIn(path: string): Promise<Page> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  try {
    await page.goto(`${output("DashboardUrl")}${path}`);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("Username").fill(address);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("navigation", { name: "Main" }).waitFor();
  } catch (error) {
    throw new Error(`${error}\n${page.url()}\n${await page.locator("body").innerText()}\n${complaints.join("\n")}`);
  }
  return page;
}

const whoami = () => person.run(["whoami"], { env: cloud.clientEnv });

test("the first developer signs in at CloudFront's host name, publishes there, and gets another token after the first", async () => {
  const user = ["--user-pool-id", output("UserPoolId"), "--username", address];
  await cloud.aws("cognito-idp", "admin-set-user-password", ...user, "--password", password, "--permanent");
  const login = (raw: string) =>
    person.run(["login", "--api", api, "--token", "-"], { input: raw, env: cloud.clientEnv });
  expect((await login(token)).code).toBe(0);
  const created = await person.run(["projects", "create", "first-game"], { env: cloud.clientEnv });
  expect(created).toMatchObject({ code: 0 });

  expect(output("DashboardUrl")).toMatch(/^https:\/\/\w+\.cloudfront\.net$/);
  const page = await signIn("/projects/first-game");
  const html = "<!doctype html><title>First</title><h1>First</h1>";
  writeFiles(`${person.home}/game`, { "index.html": html });
  await page.getByRole("region", { name: "Publish" }).waitFor();
  await drop(page, join(person.home, "game"));
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("It is live.").waitFor();
  const played = await fetch(`${api}/projects/first-game/files/index.html`);
  expect([played.status, await played.text()]).toEqual([200, html]);
  await page.context().close();

  const partition = JSON.stringify({ ":account": { S: `ACCOUNT#${token.slice(4, 26)}` }, ":token": { S: "TOKEN#" } });
  const { Items: items } = await cloud.aws(
    ...["dynamodb", "query", "--table-name", output("TableName"), "--expression-attribute-values", partition],
    ...["--key-condition-expression", "PK = :account AND begins_with(SK, :token)"],
  );
  expect(items).toHaveLength(1);
  const { PK, SK } = items[0];
  await cloud.aws(
    ...["dynamodb", "update-item", "--table-name", output("TableName"), "--key", JSON.stringify({ PK, SK })],
    ...["--update-expression", "SET expiresAt = :past"],
    ...["--expression-attribute-values", JSON.stringify({ ":past": { S: "2026-01-01T00:00:00.000Z" } })],
  );
  expect(await whoami()).toMatchObject({ code: 4, stderr: expect.stringContaining("expired") });

  const again = await signIn("/tokens");
  await again.getByRole("button", { name: "New token" }).click();
  await again.getByRole("textbox", { name: "Name" }).fill("laptop");
  await again.getByRole("button", { name: "Create token" }).click();
  await again.getByRole("heading", { name: "Copy your token now" }).waitFor();
  const next = await again.locator("dialog code").first().textContent();
  expect((await login(next ?? "")).code).toBe(0);
  expect(await whoami()).toMatchObject({ code: 0, stdout: expect.stringContaining("First developer") });
}, 600_000);
