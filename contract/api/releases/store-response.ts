/*
 * Meaning of the store's response to a presigned PUT, for everything that uploads (the details of createUploads).
 */

/**
 * - stored: the store has the bytes;
 * - expired: the URL, or the credentials that signed it, are too old, or its upload in parts is over: another URL is needed;
 * - trouble: the same request can succeed later;
 * - refused: it never will.
 */
export type StoreMeaning = "stored" | "expired" | "trouble" | "refused";

/** The store's response to a presigned PUT. */
export interface PutResponse {
  readonly status: number;
  /** Of the store's error document ({@link errorCodeIn}), such as BadDigest; undefined if it has none. */
  readonly code: string | undefined;
  /** False: a success without the checksum that the store sends back, so another server has responded. */
  readonly isConfirmed?: boolean;
  readonly retryAfterMilliseconds?: number | undefined;
}

export function meaningOf({ status, code, isConfirmed = true }: PutResponse): StoreMeaning {
  if (status >= 200 && status < 300 && !isConfirmed) return "trouble";
  // 412: the store has it already, from another upload or from one whose response was lost.
  if ((status >= 200 && status < 300) || status === 412) return "stored";
  if (status === 403 || (status === 400 && code === "ExpiredToken")) return "expired";
  // Another request may have completed the file.
  if (status === 404 && code === "NoSuchUpload") return "expired";
  // S3 responds with 400 RequestTimeout if the connection was too slow.
  const isTrouble = status >= 500 || [408, 409, 429].includes(status) || (status === 400 && code === "RequestTimeout");
  return isTrouble ? "trouble" : "refused";
}

/** The code of S3's error document. */
export function errorCodeIn(text: string): string | undefined {
  return /<Code>([A-Za-z]+)<\/Code>/.exec(text)?.[1];
}
