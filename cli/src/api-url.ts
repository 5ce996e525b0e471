import { usageError } from "./errors.ts";

/** The API URL that is used if nothing else names one: SVC_DEFAULT_API at build time; empty for none. */
export const builtInApi = process.env["SVC_DEFAULT_API"] ?? "";

/**
 * Parses an API URL: https, or http to this machine. It may have a path, which is put before the path of every route.
 *
 * @param source where it was written, for the error
 * @throws UserError (exit code 2) for any other URL: plain http to another machine would expose the token
 */
export function parseApiUrl(text: string, source: string): URL {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    throw invalid(source, "is not a URL like https://api.svc.example");
  }
  if (url.username !== "" || url.password !== "") throw invalid(source, "must not contain a user name or password");
  if (url.search !== "" || url.hash !== "") throw invalid(source, "must not have a query or a fragment");
  if (!isHttpsOrLocal(url))
    throw invalid(source, "must be https, or http to this machine (localhost, 127.0.0.1, [::1])");
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

function invalid(source: string, why: string) {
  return usageError(`The API URL in ${source} ${why}.`, { code: "invalid_api_address" });
}

/** Whether a host name, as the URL class normalises it, means this machine (RFC 6761 section 6.3, RFC 1122, RFC 4291). */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
  );
}

/** Whether nobody on the network can read or change what goes to a URL: https, or http to this machine. */
export function isHttpsOrLocal({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

/** The API URL as people write it and the credential file stores it: without the last slash. */
export function formatApiUrl(api: URL): string {
  return api.href.replace(/\/$/, "");
}
