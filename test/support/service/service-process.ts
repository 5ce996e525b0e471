import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ServiceDetails } from "../../../local/service.ts";

const mainFile = fileURLToPath(new URL("../../../programs/local.ts", import.meta.url));

export interface ProcessOptions {
  /** Environment variables beyond those that the service gets anyway; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Another engine than the embedded one, such as a recorder in front of it. */
  readonly dynamodbEndpoint?: string;
  /** `SVC_DATA` */
  readonly dataFolder?: string;
  /** The `programs/local.ts` of another commit; that of this one by default. */
  readonly main?: string;
}

/** The real local service in its own process. */
export interface ServiceProcess {
  readonly details: ServiceDetails;
  readonly process: ChildProcess;
  /** Everything that the service has printed so far. */
  output(): string;
  stop(): Promise<void>;
}

/**
 * Starts a local service on free ports with a table of its own. It ends with `stop`, or with this process.
 *
 * @throws Error with the service's output if it does not become ready
 */
export async function startServiceProcess(options: ProcessOptions = {}): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [options.main ?? mainFile], {
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
  return {
    details,
    process: child,
    output: () => output,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "close");
    },
  };
}

export function serviceEnvironment({ env, dynamodbEndpoint, dataFolder, main }: ProcessOptions): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(SVC|IDP|S3|AWS)_/.test(name));
  const temporaryFolder = process.env["SERVICES_TMPDIR"];
  return {
    ...Object.fromEntries(inherited),
    ...(temporaryFolder && { TMPDIR: temporaryFolder }),
    PORT: "0",
    IDP_PORT: "0",
    S3_PORT: "0",
    // Suites share one engine if DYNAMODB_ENDPOINT names it, so each has its own table.
    TABLE_NAME: `svc-test-${randomUUID()}`,
    // Stored items change by requests alone, so that tests can compare them.
    SVC_NOTICES_SECONDS: "0",
    SVC_SWEEP_SECONDS: "0",
    SVC_POINTERS_SECONDS: "0",
    SVC_SCHEDULED_SECONDS: "0",
    SVC_STATISTICS_SECONDS: "0",
    // Most suites are about a stage without a games' edge; test/support/service/edge-service.ts starts one.
    GAMES_STORE_ENDPOINT: "",
    ...(dynamodbEndpoint && { DYNAMODB_ENDPOINT: dynamodbEndpoint }),
    ...(dataFolder && { SVC_DATA: dataFolder }),
    // Of this repository alone (global-setup.ts).
    ...(main && { FUNCTIONS_ARE_BUILT: undefined }),
    ...env,
  };
}
