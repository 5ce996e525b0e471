import { acceptsEncoding } from "../../contract/api/qualities.ts";
import type { EdgeRequest } from "../request.ts";

/**
 * Whether a request gets the Brotli variant of a file that has one. Engines that load a file piece by piece ask for its length with HEAD,
 * then for ranges up to it, so both are about the file itself.
 */
export function takesBrotli({ method, headers }: EdgeRequest): boolean {
  const isWhole = method === "GET" && headers["range"] === undefined;
  return isWhole && acceptsEncoding(headers["accept-encoding"] || "", "br");
}
