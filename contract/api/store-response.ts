/*
 * Meaning of the store's response to a presigned PUT, for everything that uploads (docs/api/releases.md, createUploads).
 */

/**
 * - stored: the store has the bytes;
 * - expired: the URL, or the credentials that signed it, are too old, or its upload in parts is over: another URL is needed;
 * - trouble: the same request can succeed later;
 * - refused: it never will.
 */
export type StoreMeaning = "stored" | "expired" | "trouble" | "refused";

/** @param code of the store's error document ({@link errorCodeIn}), such as BadDigest; undefined if it has none */
export function meaningOf({ status, code }: { status: number; code: string | undefined }): StoreMeaning {
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
