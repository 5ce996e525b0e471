import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect } from "@jest/globals";
import { startHttpServer } from "../../test/support/network/http-server.ts";
import type { TestService } from "../../test/support/service/service.ts";
import { testWith } from "../foreign-tools.ts";
import { apiIn, type Cloud, cloudTool, startCloud } from "./cloud.ts";
import { different } from "./suites/different.ts";

/*
 * The suites of the API (test/api) against a deployed stage, as they are: where a file shares the local service, it gets the stage. The
 * environment of lab/cloud/suites gives it to them.
 */

const test = testWith(cloudTool);

let cloud: Cloud;
let api: string;

beforeAll(async () => {
  if (cloudTool.missing !== undefined) return;
  cloud = await startCloud();
  const domain = { name: "dashboard.example.com" };
  const { CertificateArn: certificateArn } = await cloud.aws(
    "acm",
    "request-certificate",
    "--domain-name",
    domain.name,
  );
  api = apiIn(await cloud.deploy("suites", { dashboard: { domain: { ...domain, certificateArn } }, disposable: true }));
  // As in the local service of the tests, what is stored changes by requests alone.
  for (const { Name: rule } of (await cloud.aws("events", "list-rules", "--name-prefix", "svc-suites")).Rules)
    await cloud.aws("events", "disable-rule", "--name", rule);
}, 900_000);
afterAll(() => cloud?.stop());

/** Signs the ID tokens that the suites ask for, as the local provider does. */
async function startSigner() {
  return await startHttpServer(async (request, response) => {
    const claims = Object.entries(JSON.parse((await buffer(request)).toString()));
    const now = Math.floor(Date.now() / 1_000);
    const given = Object.fromEntries(claims.map(([name, value]) => [name, value ?? undefined]));
    response.end(cloud.provider.idToken({ claims: { auth_time: now, nbf: now - 10, ...given } }));
  });
}

/** Details of the deployed service, in the form of the local service's. */
async function details(): Promise<Partial<TestService>> {
  const stack = ["--stack-name", "svc-suites"];
  const { StackResourceSummaries: made } = await cloud.aws("cloudformation", "list-stack-resources", ...stack);
  const nameOf = (id: RegExp): string =>
    made.find(({ LogicalResourceId }: { LogicalResourceId: string }) => id.test(LogicalResourceId))?.PhysicalResourceId;
  const { issuer, audience, jwksUri } = cloud.provider;
  return {
    api,
    dashboard: "https://dashboard.example.com/",
    ...{ issuer, audience, jwksUri },
    tableName: nameOf(/^Table[0-9A-F]{8}$/),
    bucketName: nameOf(/^Files[0-9A-F]{8}$/),
    dynamodbEndpoint: cloud.endpoint,
    s3Endpoint: cloud.endpoint,
    gamesStoreEndpoint: "",
  };
}

/** Credentials of a user, because MiniStack takes no presigned URL of the account's own. */
async function credentials() {
  const user = ["--user-name", "suites"];
  const everything = { Effect: "Allow", Action: "*", Resource: "*" };
  const policy = JSON.stringify({ Version: "2012-10-17", Statement: [everything] });
  await cloud.aws("iam", "create-user", ...user);
  await cloud.aws("iam", "put-user-policy", ...user, "--policy-name", "everything", "--policy-document", policy);
  const { AccessKey: key } = await cloud.aws("iam", "create-access-key", ...user);
  return { accessKeyId: key.AccessKeyId, secretAccessKey: key.SecretAccessKey };
}

interface Results {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** A check of test/api: its file and name, and how it failed. */
interface Check {
  readonly name: string;
  readonly failure: string | undefined;
}

const checksIn = ({ testResults }: Results): Check[] =>
  testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults.map(({ fullName, status, failureMessages }) => ({
      name: `${file.replace(/^.*\/test\/api\//, "")}: ${fullName}`,
      failure: status === "passed" ? undefined : failureMessages.join("\n"),
    })),
  );

/** The first row of what lab/cloud/suites/different.ts has for a check that failed. */
const reasonOf = ({ name, failure }: Check) =>
  different.find(({ failed }) => failed.test(`${name}\n${failure}`))?.reason ?? "unexplained";

test("the suites of the API pass against the stage, but for what only a local service has and for known differences", async () => {
  const signer = await startSigner();
  const access = { region: cloud.region, credentials: await credentials() };
  const deployed = { details: await details(), ...access, tokens: signer.endpoint };
  const output = join(cloud.folder, "suites.json");
  const config = ["--config", "lab/cloud/suites/jest.config.js", "--forceExit"];
  const args = ["test", "--", ...config, "--json", "--outputFile", output];
  await cloud.run("npm", args, { ...cloud.clientEnv, SVC_DEPLOYED: JSON.stringify(deployed) });
  await signer.stop();
  const checks = checksIn(JSON.parse(readFileSync(output, "utf8")));
  const failed = Map.groupBy(
    checks.filter(({ failure }) => failure !== undefined),
    reasonOf,
  );
  const counts = Object.fromEntries([...failed].map(([reason, { length }]) => [reason, length]));
  const passed = checks.filter(({ failure }) => failure === undefined).length;
  console.log(`${passed} of ${checks.length} checks passed against the stage; the others:`, counts);
  expect(failed.get("unexplained") ?? []).toEqual([]);
  expect(different.filter(({ reason }) => !failed.has(reason))).toEqual([]);
}, 1_800_000);
