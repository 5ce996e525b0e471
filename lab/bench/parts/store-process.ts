import { dummyCredentials } from "../../../local/credentials.ts";
import type { Part } from "../../../local/part.ts";
import { startObjectStore } from "../../../local/store/object-store.ts";
import { startFork } from "../harness/processes.ts";

export const bucketName = "svc-local";

/** The environment variables that make a service use another store than its own. */
export function storeEnvironment(endpoint: string): Record<string, string> {
  return {
    S3_ENDPOINT: endpoint,
    AWS_ACCESS_KEY_ID: dummyCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: dummyCredentials.secretAccessKey,
  };
}

/** A store in a process of its own. */
interface StoreProcess extends Part {
  /** Lets the pages of a service that was started since upload. */
  allow(dashboard: string): void;
}

/**
 * Starts the object store in its own process, so that service, store and client do not share one thread.
 *
 * @param overwrites whether objects may be overwritten, as `aws s3 sync` does
 */
export async function startStoreProcess({ overwrites = false } = {}): Promise<StoreProcess> {
  const args = overwrites ? ["--overwrites"] : [];
  const { message: endpoint, send, stop } = await startFork<string>(import.meta.url, args);
  return { endpoint, stop, allow: (dashboard) => send(new URL(dashboard).origin) };
}

if (import.meta.main) {
  const overwrites = process.argv.includes("--overwrites");
  const origins: string[] = [];
  process.on("message", (origin: string) => origins.push(origin));
  const { endpoint, stop } = await startObjectStore(bucketName, undefined, { ports: [], origins, overwrites });
  process.once("disconnect", () => void stop());
  process.send?.(endpoint);
}
