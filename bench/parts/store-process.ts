import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { dummyCredentials } from "../../local/credentials.ts";
import type { Part } from "../../local/part.ts";
import { startObjectStore } from "../../local/store/object-store.ts";

export const bucketName = "svc-local";

/** The environment variables that make a service use another store than its own. */
export function storeEnvironment(endpoint: string): Record<string, string> {
  return {
    S3_ENDPOINT: endpoint,
    AWS_ACCESS_KEY_ID: dummyCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: dummyCredentials.secretAccessKey,
  };
}

/**
 * Starts the object store in its own process, so that service, store and client do not share one thread.
 *
 * @param overwrites whether objects may be overwritten, as `aws s3 sync` does
 */
export async function startStoreProcess({ overwrites = false } = {}): Promise<Part> {
  const child = fork(fileURLToPath(import.meta.url), overwrites ? ["--overwrites"] : []);
  const [endpoint] = await Promise.race([once(child, "message"), once(child, "exit")]);
  if (typeof endpoint !== "string") throw new Error("The object store did not start");
  return {
    endpoint,
    stop: async () => {
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}

if (import.meta.main) {
  const overwrites = process.argv.includes("--overwrites");
  const { endpoint, stop } = await startObjectStore(bucketName, undefined, { ports: [], overwrites });
  process.once("disconnect", () => void stop());
  process.send?.(endpoint);
}
