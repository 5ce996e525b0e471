import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { fetchedPackage } from "../../test/support/fetched-package.ts";

const program = fileURLToPath(new URL("swagger-client.mjs", import.meta.url));

/** Findings of the client in a document. */
export interface ResolvedDocument {
  /** Processor time until every reference of it is followed. */
  readonly seconds: number;
  readonly errors: readonly unknown[];
  readonly operations: readonly string[];
}

interface OperationCall {
  readonly operationId: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly requestBody?: unknown;
}

interface OperationResult {
  readonly status: number;
  readonly url: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert what is in it
  readonly body: any;
}

/** The client of Swagger UI, in a process of its own. */
export interface SwaggerClient {
  readonly resolved: ResolvedDocument;
  call(operation: OperationCall): Promise<OperationResult>;
  stop(): Promise<void>;
}

/**
 * Gives it the URL of an OpenAPI document and an ID token or none, and nothing else.
 *
 * @throws Error if it cannot be fetched or does not resolve the document
 */
export async function startSwaggerClient(url: string, idToken = ""): Promise<SwaggerClient> {
  const bundle = fetchedPackage({
    specification: "swagger-client@3.39.0",
    integrity: "sha512-EDpBphskzOCzczUrucX3/FVb7k5gch1GSzB+MTBcdGY3Zew2XKs0ryPPw1J2l1hioojwwKUZXtEg31axbnQvpQ==",
  });
  const child = spawn(process.execPath, [program, join(bundle, "dist/swagger-client.browser.min.js"), url, idToken], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error("swagger-client has ended");
    return JSON.parse(value);
  };
  const resolved = await next();
  return {
    resolved,
    call: async (operation) => {
      child.stdin.write(`${JSON.stringify(operation)}\n`);
      return await next();
    },
    stop: async () => {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "close");
    },
  };
}
