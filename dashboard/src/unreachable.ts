import { NetworkError } from "../../contract/api-error.ts";

/** No browser says whether a request was sent. */
export function unreachable(message: string, details: { readonly cause?: unknown; readonly host?: string } = {}) {
  return new NetworkError(message, { ...details, isTransient: true, isUnsent: false, isLost: true });
}
