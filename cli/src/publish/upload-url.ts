import { isLoopback } from "../api-url.ts";
import { UserError } from "../errors.ts";

/** A presigned URL for one file, and the headers to send. */
export interface UploadUrl {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** The headers of an upload (createUploads). With others, an API could make this machine send any request to another host. */
const allowedHeaders = ["content-length", "if-none-match", "x-amz-checksum-sha256"];

/**
 * Checks an upload URL of the API: https, or http to this machine if the API is on this machine too; no other headers
 * than those of an upload.
 *
 * @throws UserError for any other
 */
export function checkUploadUrl(given: { url: string; headers: Record<string, string> }, api: URL): UploadUrl {
  const url = parse(given.url);
  const isLocal = url.protocol === "http:" && isLoopback(url.hostname) && isLoopback(api.hostname);
  if (url.protocol !== "https:" && !isLocal) throw refused(api, "is neither https nor on this machine");
  if (url.username !== "" || url.password !== "") throw refused(api, "has a user name or password");
  const names = Object.keys(given.headers).map((name) => name.toLowerCase());
  const other = names.find((name) => !allowedHeaders.includes(name));
  if (other !== undefined) throw refused(api, `requires the header ${other}`);
  return { url, headers: given.headers };

  function parse(text: string): URL {
    try {
      return new URL(text);
    } catch {
      throw refused(api, "is not a URL");
    }
  }
}

function refused(api: URL, why: string): UserError {
  return new UserError(`${api.origin} sent an upload URL that ${why}. Nothing was sent there.`, {
    code: "upload_url_refused",
    next: "Check the API URL (svc whoami shows it), and report this to the operator of the API.",
  });
}
