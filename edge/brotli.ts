import { acceptsEncoding } from "../contract/api/qualities.ts";
import type { EdgeRequest } from "./request.ts";

/** Whether a request gets the Brotli variant of a file that has one. */
export function takesBrotli({ method, headers }: EdgeRequest): boolean {
  const isRange = headers["range"] !== undefined && method === "GET";
  return !isRange && acceptsEncoding(headers["accept-encoding"] || "", "br");
}
