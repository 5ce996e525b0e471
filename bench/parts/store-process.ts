import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import S3rver from "@20minutes/s3rver";
import AWSAccount from "@20minutes/s3rver/lib/models/account.js";
import { dummyCredentials } from "../../local/credentials.ts";
import { startObjectStore } from "../../local/object-store.ts";
import type { Part } from "../../local/part.ts";

export const bucketName = "svc-local";

/** The environment variables that make a service use another store than its own. */
export function storeEnvironment(endpoint: string): Record<string, string> {
  return {
    S3_ENDPOINT: endpoint,
    AWS_ACCESS_KEY_ID: dummyCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: dummyCredentials.secretAccessKey,
  };
}

/** Starts the service's object store in its own process, so that service, store and client do not share one thread. */
export function startStoreProcess(): Promise<Part> {
  return startProcess("checking");
}

/**
 * Starts s3rver as it is, the store beneath ours: a bucket in which objects may be overwritten, as `aws s3 sync` does. It checks
 * less, so it takes no more time.
 */
export function startPlainStoreProcess(): Promise<Part> {
  return startProcess("plain");
}

async function startProcess(kind: keyof typeof stores): Promise<Part> {
  const child = fork(fileURLToPath(import.meta.url), [kind]);
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

const stores = {
  checking: () => startObjectStore(bucketName, undefined),
  plain: async (): Promise<Part> => {
    const directory = await mkdtemp(join(tmpdir(), "svc-bench-store-"));
    const configureBuckets = [{ name: bucketName, configs: [] }];
    const server = new S3rver({
      address: "127.0.0.1",
      port: 0,
      directory,
      silent: true,
      vhostBuckets: false,
      configureBuckets,
    });
    const { accessKeyId, secretAccessKey } = dummyCredentials;
    AWSAccount.DUMMY_ACCOUNT.createKeyPair(accessKeyId, secretAccessKey);
    const { port } = await server.run();
    return {
      endpoint: `http://127.0.0.1:${port}`,
      stop: async () => {
        await server.close();
        await rm(directory, { recursive: true });
      },
    };
  },
};

if (import.meta.main) {
  const { endpoint, stop } = await stores[process.argv[2] as keyof typeof stores]();
  process.once("disconnect", () => void stop());
  process.send?.(endpoint);
}
