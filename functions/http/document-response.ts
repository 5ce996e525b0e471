import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { acceptsEncoding } from "../../contract/api/qualities.ts";
import { apiOriginOf } from "./api-origin.ts";
import { etagOf, isAmong } from "./etag.ts";

type Response = { readonly headers: Readonly<Record<string, string>> } & (
  | { readonly status: 200; readonly body: Buffer }
  | { readonly status: 304; readonly body: undefined }
);

type Respond = (headers: APIGatewayProxyEventV2["headers"]) => Response;

/** Makes the responses with a document that names the API's origin. It is made once for an origin. */
export function documentOfOrigin(documentOf: (origin: string) => string, mediaType: string): Respond {
  let current: { readonly origin: string; readonly respond: Respond } | undefined;
  return (headers) => {
    const origin = apiOriginOf(headers);
    if (current?.origin !== origin) current = { origin, respond: documentResponses(documentOf(origin), mediaType) };
    return current.respond(headers);
  };
}

/**
 * Makes the responses with a document that only a deployment changes. A cache may keep one for five minutes, then asks by
 * its ETag. API Gateway compresses nothing, so this does, once and when the first request asks for it: zlib is slow to load.
 */
function documentResponses(text: string, mediaType: string): Respond {
  const plain = withEtag(Buffer.from(text));
  let gzipped: WithEtag | undefined;
  const compressed = () => {
    gzipped ??= withEtag(process.getBuiltinModule("node:zlib").gzipSync(plain.body));
    return gzipped;
  };
  return ({ "accept-encoding": accepted, "if-none-match": ifNoneMatch }) => {
    const isCompressed = accepted !== undefined && acceptsEncoding(accepted, "gzip");
    const { body, etag } = isCompressed ? compressed() : plain;
    const headers = { etag, "cache-control": "public, max-age=300", vary: "Accept-Encoding" };
    if (isAmong(etag, ifNoneMatch)) return { status: 304, headers, body: undefined };
    const encoding = isCompressed && { "content-encoding": "gzip" };
    return { status: 200, headers: { ...headers, ...encoding, "content-type": mediaType }, body };
  };
}

interface WithEtag {
  readonly body: Buffer;
  readonly etag: string;
}

function withEtag(body: Buffer): WithEtag {
  return { body, etag: etagOf(body) };
}
