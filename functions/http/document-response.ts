import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { acceptsEncoding } from "../../contract/api/qualities.ts";
import { etagOf, isAmong } from "./etag.ts";

type Response = { readonly headers: Readonly<Record<string, string>> } & (
  | { readonly status: 200; readonly body: Buffer }
  | { readonly status: 304; readonly body: undefined }
);

/**
 * Makes the responses with a JSON document that only a deployment changes. A cache may keep one for five minutes, then asks by
 * its ETag. API Gateway compresses nothing, so this does, once and when the first request asks for it: zlib is slow to load.
 */
export function documentResponses(document: object): (headers: APIGatewayProxyEventV2["headers"]) => Response {
  const plain = withEtag(Buffer.from(JSON.stringify(document)));
  let kept: WithEtag | undefined;
  const compressed = () => {
    kept ??= withEtag(process.getBuiltinModule("node:zlib").gzipSync(plain.body));
    return kept;
  };
  return ({ "accept-encoding": accepted, "if-none-match": ifNoneMatch }) => {
    const isCompressed = accepted !== undefined && acceptsEncoding(accepted, "gzip");
    const { body, etag } = isCompressed ? compressed() : plain;
    const headers = { etag, "cache-control": "public, max-age=300", vary: "Accept-Encoding" };
    if (isAmong(etag, ifNoneMatch)) return { status: 304, headers, body: undefined };
    const encoding = isCompressed && { "content-encoding": "gzip" };
    return { status: 200, headers: { ...headers, ...encoding, "content-type": "application/json" }, body };
  };
}

interface WithEtag {
  readonly body: Buffer;
  readonly etag: string;
}

function withEtag(body: Buffer): WithEtag {
  return { body, etag: etagOf(body) };
}
