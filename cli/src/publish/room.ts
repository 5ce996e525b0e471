import { ApiError } from "../../../contract/api-error.ts";
import type { Client } from "../../../contract/client.ts";
import { exitCodes, UserError } from "../errors.ts";
import { humanBytes } from "../text.ts";

/** Below this, hashing takes less time than asking. */
const largeFolderBytes = 250_000_000;

/**
 * Refuses a large folder that can never fit, before it is hashed. What the service has already is known by hashes alone, so
 * here all that is stored of the project counts as if the folder had it, and files of one length count as one.
 *
 * @throws UserError `quota_exceeded`
 */
export async function assertRoom(
  client: Client,
  slug: string,
  files: readonly { readonly size: number }[],
): Promise<void> {
  const bytes = [...new Set(files.map(({ size }) => size))].reduce((sum, size) => sum + size, 0);
  if (bytes < largeFolderBytes) return;
  const read = await Promise.all([client.call("GET /me"), client.call("GET /projects")]).catch(notForJobs);
  if (read === undefined) return;
  const [{ storage }, { projects }] = read;
  const { limit, project_limit } = storage;
  if (bytes > project_limit.bytes) throw noRoom(`has ${humanBytes(bytes)}`, "project", project_limit.bytes);
  const needed = bytes - (projects.find((project) => project.slug === slug)?.storage?.bytes ?? 0);
  if (needed > limit.bytes - storage.bytes)
    throw noRoom(`needs ${humanBytes(needed)} beside the ${humanBytes(storage.bytes)} stored`, "account", limit.bytes);
}

/** The token of a CI job may not request it; the API checks when the release is opened. */
function notForJobs(failure: unknown): undefined {
  if (!(failure instanceof ApiError && failure.code === "project_not_in_token")) throw failure;
}

function noRoom(what: string, whose: "project" | "account", limit: number): UserError {
  return new UserError(`The folder ${what}; the ${whose} may store ${humanBytes(limit)}. Nothing was hashed or sent.`, {
    code: "quota_exceeded",
    exitCode: exitCodes.conflict,
    next: "Keep files out with .svcignore, or delete a project. svc whoami shows what is stored.",
  });
}
