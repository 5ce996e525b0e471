import { ApiError } from "../contract/api-error.ts";
import type { Client } from "../contract/client.ts";

/** Below this, hashing takes less time than asking. */
const largeFolderBytes = 250_000_000;

/** The files can never be stored beside what is. The clients have the words for it. */
export class NoRoom extends Error {
  override readonly name = "NoRoom";
  /** Bytes that the files need. */
  readonly bytes: number;
  /** Bytes that the account stores; undefined: the project's own limit is below what it needs. */
  readonly storedBytes: number | undefined;
  readonly limitBytes: number;

  constructor({ bytes, storedBytes, limitBytes }: Pick<NoRoom, "bytes" | "storedBytes" | "limitBytes">) {
    super("quota_exceeded");
    this.bytes = bytes;
    this.storedBytes = storedBytes;
    this.limitBytes = limitBytes;
  }
}

/**
 * Refuses many bytes that can never fit, before they are hashed. What the service has already is known by hashes alone, so
 * here all that is stored of the project counts as if it were of these files, and files of one length count as one.
 *
 * @throws NoRoom
 */
export async function assertRoom(
  { client, slug }: { readonly client: Client; readonly slug: string },
  files: readonly { readonly size: number }[],
): Promise<void> {
  const bytes = [...new Set(files.map(({ size }) => size))].reduce((sum, size) => sum + size, 0);
  if (bytes < largeFolderBytes) return;
  const read = await Promise.all([client.call("GET /me"), client.call("GET /projects")]).catch(notForJobs);
  if (read === undefined) return;
  const [{ storage }, { projects }] = read;
  const { limit, project_limit } = storage;
  if (bytes > project_limit.bytes) throw new NoRoom({ bytes, storedBytes: undefined, limitBytes: project_limit.bytes });
  const needed = bytes - (projects.find((project) => project.slug === slug)?.storage?.bytes ?? 0);
  if (needed > limit.bytes - storage.bytes)
    throw new NoRoom({ bytes: needed, storedBytes: storage.bytes, limitBytes: limit.bytes });
}

/** The token of a CI job may not request it; the API checks when the release is opened. */
function notForJobs(failure: unknown): undefined {
  if (!(failure instanceof ApiError && failure.code === "project_not_in_token")) throw failure;
}
