import { isLoopback } from "../api-address.ts";
import { UserError } from "../errors.ts";

/** Where to send the bytes of one hash, and with which headers. */
export interface UploadUrl {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** What an upload needs (docs/api.md). Others would let the API choose what this machine says to another one. */
const allowedHeaders = ["content-length", "if-none-match", "x-amz-checksum-sha256"];

/**
 * Checks an upload URL as the API gave it: https, or http to this machine where the API is on this machine too; no header
 * but those that an upload needs.
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
  if (other !== undefined) throw refused(api, `wants the header ${other}`);
  return { url, headers: given.headers };

  function parse(text: string): URL {
    try {
      return new URL(text);
    } catch {
      throw refused(api, "is no URL");
    }
  }
}

function refused(api: URL, why: string): UserError {
  return new UserError(`${api.origin} gave an upload URL that ${why}. No file was sent.`, {
    code: "upload_url_refused",
    next: "Check the address of the API (svc whoami shows it), and tell whoever runs it.",
  });
}
