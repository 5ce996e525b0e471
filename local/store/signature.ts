import { createHash, createHmac } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { dummyCredentials } from "../credentials.ts";
import { S3Error } from "./s3-error.ts";

/*
 * Signatures in the Authorization header and in presigned URLs: IAM User Guide, "AWS Signature Version 4 for API requests", and Amazon
 * S3 API Reference, "Authenticating Requests (AWS Signature Version 4)".
 */

/** A request whose signature was verified. */
export interface StoreRequest {
  readonly method: string;
  readonly bucket: string;
  readonly key: string;
  readonly query: URLSearchParams;
  /** S3 takes signed parameters of the URL that begin with `x-amz-` as headers. */
  readonly headers: IncomingMessage["headers"];
  readonly body: IncomingMessage;
  readonly response: ServerResponse;
}

/** Signature of a request, as its headers say. */
interface Signature {
  readonly signature: string;
  readonly signedHeaders: readonly string[];
  readonly accessKeyId: string;
  /** Date, region, service and `aws4_request`. */
  readonly scope: readonly string[];
  readonly date: string;
  /** Seconds that a presigned URL is valid; undefined: the signature is in the header. */
  readonly expiresInSeconds: number | undefined;
}

/** Difference that the clocks of both sides may have. */
export const usualSkewMilliseconds = 15 * 60_000;

/**
 * Verifies that these credentials have signed a request.
 *
 * @throws S3Error 403 `AccessDenied` without a signature, with an `x-amz-` header that is not signed, and after its expiry;
 *   `RequestTimeTooSkewed`, `InvalidAccessKeyId`, `SignatureDoesNotMatch`
 */
export function verifySignature(
  request: IncomingMessage,
  response: ServerResponse,
  { accessKeyId, secretAccessKey }: typeof dummyCredentials,
  skewMilliseconds: number,
): StoreRequest {
  const { method = "GET", url = "/", headers } = request;
  const [path = "", search] = url.split("?");
  const query = new URLSearchParams(search);
  const claimed = claimedSignature(headers.authorization, String(headers["x-amz-date"]), query);
  refuseUnsignedHeaders(headers, claimed);
  if (claimed.accessKeyId !== accessKeyId)
    throw new S3Error("InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.");
  const canonical = canonicalRequest({ method, path, query, headers, signedHeaders: claimed.signedHeaders });
  if (claimed.signature !== signatureOf(canonical, claimed, secretAccessKey))
    throw new S3Error(
      "SignatureDoesNotMatch",
      "The request signature we calculated does not match the signature you provided.",
    );
  refuseWrongTime(claimed, skewMilliseconds);
  const [, bucket = "", ...rest] = decodeURIComponent(path).split("/");
  const parameters = Object.fromEntries([...query].filter(([name]) => name.startsWith("x-amz-")));
  return {
    method,
    bucket,
    key: rest.join("/"),
    query,
    headers: { ...parameters, ...headers },
    body: request,
    response,
  };
}

function claimedSignature(authorization = "", dateHeader: string, query: URLSearchParams): Signature {
  const isPresigned = query.has("X-Amz-Signature");
  const inHeader = (name: string) => new RegExp(`${name}=([^,\\s]+)`).exec(authorization)?.[1];
  const claim = (name: string) => (isPresigned ? query.get(`X-Amz-${name}`) : inHeader(name)) ?? "";
  if (claim("Signature") === "") throw new S3Error("AccessDenied", "Access Denied");
  const [accessKeyId = "", ...scope] = claim("Credential").split("/");
  return {
    signature: claim("Signature"),
    signedHeaders: claim("SignedHeaders").split(";"),
    accessKeyId,
    scope,
    date: isPresigned ? claim("Date") : dateHeader,
    expiresInSeconds: isPresigned ? Number(query.get("X-Amz-Expires") ?? Number.NaN) : undefined,
  };
}

function refuseUnsignedHeaders(headers: IncomingMessage["headers"], { signedHeaders }: Signature): void {
  const mustBeSigned = Object.keys(headers).filter((name) => name === "host" || name.startsWith("x-amz-"));
  const unsigned = mustBeSigned.filter((name) => !signedHeaders.includes(name));
  if (unsigned.length > 0)
    throw new S3Error("AccessDenied", `There were headers present in the request which were not signed: ${unsigned}`);
}

function canonicalRequest(request: {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly signedHeaders: readonly string[];
}): string {
  const { method, path, query, headers, signedHeaders } = request;
  const parameters = [...query]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map((pair) => pair.map(encoded) as [string, string])
    .sort(([nameA, valueA], [nameB, valueB]) => compare(nameA, nameB) || compare(valueA, valueB));
  return [
    method,
    path,
    parameters.map((pair) => pair.join("=")).join("&"),
    ...signedHeaders.map(
      (name) =>
        `${name}:${String(headers[name] ?? "")
          .trim()
          .replace(/ +/g, " ")}`,
    ),
    "",
    signedHeaders.join(";"),
    headers["x-amz-content-sha256"] ?? "UNSIGNED-PAYLOAD",
  ].join("\n");
}

function signatureOf(canonical: string, { scope, date }: Signature, secretAccessKey: string): string {
  const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const signingKey = scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const hash = createHash("sha256").update(canonical).digest("hex");
  return hmac(signingKey, ["AWS4-HMAC-SHA256", date, scope.join("/"), hash].join("\n")).toString("hex");
}

/** A time that cannot be read is wrong too. */
function refuseWrongTime({ date, expiresInSeconds }: Signature, skewMilliseconds: number): void {
  const now = Date.now();
  const signedAt = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  const isTooEarly = !(signedAt <= now + skewMilliseconds);
  if (expiresInSeconds === undefined && (isTooEarly || signedAt < now - skewMilliseconds))
    throw new S3Error(
      "RequestTimeTooSkewed",
      "The difference between the request time and the current time is too large.",
    );
  if (isTooEarly) throw new S3Error("AccessDenied", "Request is not valid yet");
  if (expiresInSeconds !== undefined && !(now <= signedAt + expiresInSeconds * 1_000))
    throw new S3Error("AccessDenied", "Request has expired");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Percent-encoding of RFC 3986: `encodeURIComponent` leaves some characters. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
