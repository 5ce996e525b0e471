import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { dummyCredentials } from "../../local/credentials.ts";
import { idTokenPath } from "../../local/identity-provider.ts";
import type { ServiceDetails } from "../../local/service.ts";
import { readStartSecret } from "../../local/start-secret.ts";
import { assertNoSecrets } from "./told-secrets.ts";

const mainFile = fileURLToPath(new URL("../../local/main.ts", import.meta.url));

export interface ServiceOptions {
  /** Environment variables beyond those that the service gets anyway; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Another engine than the embedded one, such as a recorder in front of it. */
  readonly dynamodbEndpoint?: string;
  /** The engine that `table` reads, where the service's own stands behind a recorder. */
  readonly tableEndpoint?: string;
  /** `SVC_DATA` */
  readonly dataFolder?: string;
}

/** The real local service, running as a process of its own. */
export interface TestService extends ServiceDetails {
  readonly process: ChildProcess;
  /** A document client on the service's own engine: to look at what is stored, or to store what no route can. */
  readonly table: DynamoDBDocumentClient;
  /** A really signed ID token with these claims over the provider's own; a claim that is null is left out. */
  idToken(claims: Readonly<Record<string, unknown>>): Promise<string>;
  /** Everything that the service has printed so far. */
  output(): string;
  /**
   * Stops the service and searches what it has printed, so that every suite shows that its requests leave no credential,
   * email address or body in the logs.
   *
   * @throws Error naming the lines
   */
  stop(): Promise<void>;
}

/**
 * Starts a local service on free ports with a table of its own. It ends with `stop`, or with this process.
 *
 * @throws Error with the service's output where it does not become ready
 */
export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const child = spawn(process.execPath, [mainFile], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: serviceEnvironment(options),
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  }
  const details = await Promise.race([
    once(child, "message").then(([message]) => message as ServiceDetails),
    once(child, "exit").then(() => undefined),
  ]);
  if (details === undefined) throw new Error(`The service did not start:\n${output}`);
  const table = tableClient(options.tableEndpoint ?? details.dynamodbEndpoint);
  return {
    ...details,
    process: child,
    table,
    idToken: (claims) => issueIdToken(details.issuer, claims),
    output: () => output,
    stop: async () => {
      table.destroy();
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGTERM");
        await once(child, "close");
      }
      assertNoSecrets(output);
    },
  };
}

function serviceEnvironment({ env, dynamodbEndpoint, dataFolder }: ServiceOptions): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(SVC|IDP|S3|AWS)_/.test(name));
  return {
    ...Object.fromEntries(inherited),
    PORT: "0",
    IDP_PORT: "0",
    // Suites share one engine where DYNAMODB_ENDPOINT names it, so each has a table of its own.
    TABLE_NAME: `svc-test-${randomUUID()}`,
    // What is stored changes by requests alone, so that tests can compare it.
    SVC_NOTICES_SECONDS: "0",
    ...(dynamodbEndpoint && { DYNAMODB_ENDPOINT: dynamodbEndpoint }),
    ...(dataFolder && { SVC_DATA: dataFolder }),
    ...env,
  };
}

function tableClient(endpoint: string): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(
    new DynamoDBClient({ endpoint, region: "eu-central-1", credentials: dummyCredentials }),
  );
}

async function issueIdToken(issuer: string, claims: Readonly<Record<string, unknown>>): Promise<string> {
  const secret = await readStartSecret(Number(new URL(issuer).port));
  const response = await fetch(`${issuer}${idTokenPath}`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify(claims),
  });
  if (!response.ok) throw new Error(`The identity provider answered ${response.status}: ${await response.text()}`);
  return await response.text();
}
