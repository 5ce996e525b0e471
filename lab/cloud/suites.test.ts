import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect } from "@jest/globals";
import { freePort } from "../../local/table/dynamodb-engine.ts";
import { startHttpServer } from "../../test/support/network/http-server.ts";
import type { TestService } from "../../test/support/service/service.ts";
import { testWith } from "../foreign-tools.ts";
import { apiIn, type Cloud, cloudTool, startCloud } from "./cloud.ts";
import { startDeployedEdge } from "./deployed-edge.ts";
import { different } from "./suites/different.ts";

/*
 * The suites of the API (test/api, and those of options that use the shared service) against a deployed stage with games, as they are: where a file
 * shares the local service, it gets the stage. The environment of lab/cloud/suites gives it to them.
 */

const test = testWith(cloudTool);

const gamesDomain = "games.example.net";

let cloud: Cloud;
let api: string;
/** Of the issuers of CI jobs, which the suites start. */
const issuerPorts: number[] = [];
let edge: Awaited<ReturnType<typeof startDeployedEdge>>;

beforeAll(async () => {
  if (cloudTool.missing !== undefined) return;
  cloud = await startCloud();
  issuerPorts.push(await freePort(), await freePort());
  const named = async (name: string) => ({
    name,
    certificateArn: (await cloud.aws("acm", "request-certificate", "--domain-name", name)).CertificateArn,
  });
  const [github, gitlab] = issuerPorts.map((port) => [`https://127.0.0.1:${port}`]);
  const deployed = await cloud.deploy("suites", {
    jobIssuers: { github, gitlab },
    dashboard: { domain: await named("dashboard.example.com") },
    gamesDomain: await named(gamesDomain),
    // As that of the local service.
    reportUrl: "mailto:abuse@localhost?subject=Report%20of%20{slug}",
    disposable: true,
  });
  api = apiIn(deployed);
  edge = await startDeployedEdge(cloud, "svc-suites");
  // As in the local service of the tests, what is stored changes by requests alone.
  for (const { Name: rule } of (await cloud.aws("events", "list-rules", "--name-prefix", "svc-suites")).Rules)
    await cloud.aws("events", "disable-rule", "--name", rule);
  // Nor does its edge count what players get, so its API sends files itself.
  const getFile = ["--function-name", "svc-suites-get-file"];
  const { Environment: environment } = await cloud.aws("lambda", "get-function-configuration", ...getFile);
  const { GAMES_EDGE_DOMAIN: _, ...Variables } = environment.Variables;
  const changed = ["--environment", JSON.stringify({ Variables })];
  await cloud.aws("lambda", "update-function-configuration", ...getFile, ...changed);
}, 900_000);
afterAll(async () => {
  await edge?.stop();
  await cloud?.stop();
});

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
    gamesDomain,
    // Of the functions that files call in their own process.
    optionEnvironment: { NOTICES: "1" },
  };
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

/** A check of the suites: its file and name, and how it failed. */
interface Check {
  readonly name: string;
  readonly failure: string | undefined;
}

const checksIn = ({ testResults }: Results): Check[] =>
  testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults.map(({ fullName, status, failureMessages }) => ({
      name: `${file.replace(/^.*\/(?=test\/api\/|options\/)/, "")}: ${fullName}`,
      failure: status === "passed" ? undefined : failureMessages.join("\n"),
    })),
  );

/** The first row of what lab/cloud/suites/different.ts has for a check that failed. */
const reasonOf = ({ name, failure }: Check) =>
  different.find(({ failed }) => failed.test(`${name}\n${failure}`))?.reason ?? "unexplained";

test("the suites of the API pass against the stage, but for what only a local service has and for known differences", async () => {
  const signer = await startSigner();
  const issuerPlaces = { ports: issuerPorts, certificate: cloud.certificate };
  const access = { region: cloud.region, credentials: await cloud.createUser("suites"), edge: edge.endpoint };
  const deployed = { details: await details(), ...access, tokens: signer.endpoint, issuerPlaces };
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
  expect(different.filter(({ reason, isOfLoad }) => !isOfLoad && !failed.has(reason))).toEqual([]);
}, 1_800_000);
