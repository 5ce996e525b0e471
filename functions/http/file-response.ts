import type { getFile } from "../../contract/api/releases/releases.ts";
import type { LiveFile } from "../domain/releases/live-files.ts";
import { isAmong } from "./etag.ts";
import type { ResponseOf } from "./response.ts";

/**
 * A published page may run scripts, but in an opaque origin: else it could read what the browser stores for this origin. It
 * loads its own modules and data by CORS, which is open to every origin.
 */
const sandbox =
  "sandbox allow-downloads allow-forms allow-modals allow-orientation-lock allow-pointer-lock allow-popups allow-presentation allow-scripts";

const forEverybody = { "cross-origin-resource-policy": "cross-origin" };

/** The response with a file; without bytes if the client has it already (RFC 9110, section 13.1.2). Its ETag is its SHA-256. */
export async function fileResponse(
  file: LiveFile,
  ifNoneMatch: string | undefined,
): Promise<ResponseOf<typeof getFile>> {
  if (file.kind === "redirect")
    return {
      status: 302,
      headers: { ...forEverybody, location: file.url, "cache-control": "no-store" },
      body: undefined,
    };
  const etag = `"${file.sha256}"`;
  const headers = { ...forEverybody, etag, "cache-control": "public, max-age=0, must-revalidate" };
  if (isAmong(etag, ifNoneMatch)) return { status: 304, headers, body: undefined };
  return {
    status: 200,
    headers: {
      ...headers,
      "content-type": file.contentType,
      "content-security-policy": sandbox,
      "x-content-type-options": "nosniff",
    },
    body: await file.read(),
  };
}
