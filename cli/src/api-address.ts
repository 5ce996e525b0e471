import { usageError } from "./errors.ts";

/** Where this `svc` goes when nothing else names an API: what SVC_DEFAULT_API was when it was packed; empty for none. */
export const builtInApi = process.env["SVC_DEFAULT_API"] ?? "";

/**
 * Reads an API address: https, or http to this machine. It may have a path, under which the routes then lie.
 *
 * @param source where it was written, for the error
 * @throws UserError (exit code 2) for any other address: over plain http to another machine a token could be read on the way
 */
export function parseApi(text: string, source: string): URL {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    throw invalid(source, "is not an address like https://api.svc.example");
  }
  if (url.username !== "" || url.password !== "") throw invalid(source, "must not contain a user name or password");
  if (url.search !== "" || url.hash !== "") throw invalid(source, "must not have a query or a fragment");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname)))
    throw invalid(source, "must be https, or http to this machine (localhost, 127.0.0.1, [::1])");
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

function invalid(source: string, why: string) {
  return usageError(`The API address in ${source} ${why}.`, { code: "invalid_api_address" });
}

/** Whether a host name, as the URL class normalises it, stays on this machine (RFC 6761 section 6.3, RFC 1122, RFC 4291). */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
  );
}

/** The address as people write it and the credential file keeps it: without the last slash. */
export function showApi(api: URL): string {
  return api.href.replace(/\/$/, "");
}
