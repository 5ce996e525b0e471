/**
 * DynamoDB or the object store failed, timed out or stayed busy, also after retries. `cause` is the last failure. The
 * caller of the service sees `temporarily_unavailable`.
 */
export class StorageUnavailableError extends Error {
  override readonly name = "StorageUnavailableError";

  constructor(cause?: unknown) {
    super("The storage is unavailable", { cause });
  }
}
