import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { dummyCredentials } from "../../local/credentials.ts";
import { startObjectStore } from "../../local/object-store.ts";
import type { Part } from "../../local/part.ts";

/** The bucket of stages that measure. */
export const bucketName = "svc-local";

/** What a stage must be told to use another store than its own. */
export function storeEnvironment(endpoint: string): Record<string, string> {
  return {
    S3_ENDPOINT: endpoint,
    AWS_ACCESS_KEY_ID: dummyCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: dummyCredentials.secretAccessKey,
  };
}

/**
 * Starts the object store in a process of its own: stage, store and client share the processors, not one thread.
 *
 * @param dataFolder see {@link startObjectStore}
 */
export async function startStoreProcess(dataFolder?: string): Promise<Part> {
  const words = dataFolder === undefined ? [] : [dataFolder];
  const child = fork(fileURLToPath(import.meta.url), words);
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
  const { endpoint, stop } = await startObjectStore(bucketName, process.argv[2]);
  process.once("disconnect", () => void stop());
  process.send?.(endpoint);
}
