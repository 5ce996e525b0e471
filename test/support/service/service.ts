import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { idTokenPath } from "../../../local/identity-provider/identity-provider.ts";
import { readStartSecret } from "../../../local/identity-provider/start-secret.ts";
import type { ServiceDetails } from "../../../local/service.ts";
import { assertNoSecrets } from "../leaked-secrets.ts";
import { awsAccess } from "./aws-access.ts";
import { type ProcessOptions, type ServiceProcess, startServiceProcess } from "./service-process.ts";

export interface ServiceOptions extends ProcessOptions {
  /** The engine that `table` reads, if the service uses a recorder in front of it. */
  readonly tableEndpoint?: string;
}

/** The real local service, and what tests need of it. */
export interface TestService extends ServiceDetails {
  readonly process: ServiceProcess["process"];
  /** A document client on the service's own engine: to look at what is stored, or to store what no route can. */
  readonly table: DynamoDBDocumentClient;
  /** A really signed ID token with these claims over the provider's own; a claim that is null is left out. */
  idToken(claims: Readonly<Record<string, unknown>>): Promise<string>;
  /** Everything that the service has printed so far; of a shared one, since it was handed out. */
  output(): string;
  /**
   * Stops the service, unless it is shared, and searches what it has printed, so that every suite shows that its requests
   * leave no credential, email address or body in the logs.
   *
   * @throws Error naming the lines
   */
  stop(): Promise<void>;
}

/**
 * Starts a local service on free ports with a table of its own. It ends with `stop`, or with this process.
 *
 * @throws Error with the service's output if it does not become ready
 */
export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const running = await startServiceProcess(await withEngine(options));
  const { dynamodbEndpoint } = running.details;
  return testService(running, options.tableEndpoint ?? dynamodbEndpoint, running.output, running.stop);
}

/** Options with the engine that the services of a worker share, unless the service has another one, or keeps its data. */
async function withEngine(options: ServiceOptions): Promise<ServiceOptions> {
  if ((options.dynamodbEndpoint ?? options.dataFolder) !== undefined || "DYNAMODB_ENDPOINT" in (options.env ?? {}))
    return options;
  const dynamodbEndpoint = await globalThis.sharedEngine?.();
  return dynamodbEndpoint === undefined ? options : { ...options, dynamodbEndpoint };
}

/** The service that the test files of a worker share (environment.js): started for the first, it ends with the worker. */
export async function shareService(): Promise<TestService> {
  const running = await sharedService();
  return sharedTestService(running, running.details.dynamodbEndpoint);
}

/** A service that goes on when this file stops it, and of which this file searches only what it has caused. */
export function sharedTestService(running: ServiceProcess, tableEndpoint: string): TestService {
  const printedBefore = running.output().length;
  const output = () => running.output().slice(printedBefore);
  return testService(running, tableEndpoint, output, async () => {});
}

declare global {
  /** Undefined outside of the tests' environment: bench/ starts services too. */
  var sharedEngine: undefined | (() => Promise<string>);
  var sharedService: () => Promise<ServiceProcess>;
}

function testService(
  { details, process }: ServiceProcess,
  tableEndpoint: string,
  output: () => string,
  end: () => Promise<void>,
): TestService {
  const table = tableClient(tableEndpoint);
  return {
    ...details,
    process,
    table,
    idToken: (claims) => globalThis.deployment?.idToken(claims) ?? issueIdToken(details.issuer, claims),
    output,
    stop: async () => {
      table.destroy();
      await end();
      assertNoSecrets(output());
    },
  };
}

function tableClient(endpoint: string): DynamoDBDocumentClient {
  const client = new DynamoDBClient({ endpoint, ...awsAccess });
  // It copies each response for a logger that is none: a sixth of the time of a scan.
  client.middlewareStack.remove("loggerMiddleware");
  return DynamoDBDocumentClient.from(client);
}

async function issueIdToken(issuer: string, claims: Readonly<Record<string, unknown>>): Promise<string> {
  const secret = await readStartSecret(Number(new URL(issuer).port));
  const response = await fetch(`${issuer}${idTokenPath}`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify(claims),
  });
  if (!response.ok)
    throw new Error(`The identity provider responded with ${response.status}: ${await response.text()}`);
  return await response.text();
}
