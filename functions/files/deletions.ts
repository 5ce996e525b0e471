import { StoreBusy, StoreRefusal, sendToStore } from "./http-client.ts";
import { deletionUrl } from "./store.ts";

/** The number of DELETE requests by their result. */
export interface DeletionCounts {
  readonly deleted: number;
  readonly refused: number;
  /** Requests without a response: they may still arrive until their signature expires. */
  readonly withoutResponse: number;
}

const parallelRequests = 64;

/**
 * Deletes objects with presigned URLs that are all signed at one time and expire together: the store refuses requests that
 * arrive later, by its own clock. An object that does not exist counts as deleted.
 */
export async function deleteObjects(
  keys: readonly string[],
  signedAt: Date,
  validMilliseconds: number,
): Promise<DeletionCounts> {
  const outcomes = { deleted: 0, refused: 0, withoutResponse: 0 };
  const rest = keys.values();
  const worker = async () => {
    for (const key of rest) outcomes[await deleteObject(key, signedAt, validMilliseconds / 1_000)] += 1;
  };
  await Promise.all(Array.from({ length: parallelRequests }, worker));
  return outcomes;
}

async function deleteObject(key: string, signedAt: Date, expiresInSeconds: number): Promise<keyof DeletionCounts> {
  try {
    await sendToStore({ method: "DELETE", url: deletionUrl(key, expiresInSeconds, signedAt) });
    return "deleted";
  } catch (error) {
    const { cause } = error as Error;
    return error instanceof StoreRefusal || cause instanceof StoreBusy ? "refused" : "withoutResponse";
  }
}
