import type S3rver from "@20minutes/s3rver";
import authentication from "@20minutes/s3rver/lib/middleware/authentication.js";
import S3Error from "@20minutes/s3rver/lib/models/error.js";

/*
 * Rules of S3 that s3rver lacks, so that requests that succeed here also succeed in the cloud:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/cors.html and
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
 */

type Middleware = S3rver["middleware"][number];
type Context = Parameters<Middleware>[0];

/** Like S3, refuses an `x-amz-` header that is not signed. */
export const refuseUnsignedHeaders: Middleware = (context, next) => {
  const signed = signedHeaders(context);
  const unsigned = Object.keys(context.headers).filter((name) => name.startsWith("x-amz-") && !signed.has(name));
  if (signed.size > 0 && unsigned.length > 0)
    throw new S3Error("AccessDenied", `There were headers present in the request which were not signed: ${unsigned}`);
  return next();
};

const authenticate = authentication();

/**
 * AWS's SDKs and s3cmd name a bucket with a slash behind it, and sign that; s3rver verifies such a URL without the slash. So its signature
 * is verified here, and s3rver gets the request as one that has none.
 */
export const verifyBucketUrls: Middleware = async (context, next) => {
  const [, bucket] = /^\/([^/]+)\/$/.exec(context.path) ?? [];
  if (bucket === undefined || context.method === "OPTIONS") return await next();
  context.params = { bucket: `${bucket}/`, key: "" };
  await authenticate(context, async () => {});
  delete context.headers.authorization;
  await next();
};

function signedHeaders({ headers, query }: Context): Set<string> {
  const [, inHeader] = /SignedHeaders=([^,\s]+)/.exec(headers.authorization ?? "") ?? [];
  return new Set(
    String(query["X-Amz-SignedHeaders"] ?? inHeader ?? "")
      .split(";")
      .filter(Boolean),
  );
}

/** Like S3, sends CORS headers only for a request with `Origin`: a browser may cache a response without them. */
export const sendCorsHeadersToPagesAlone: Middleware = async (context, next) => {
  const { origin } = context.headers;
  try {
    await next();
  } finally {
    if (origin === undefined)
      for (const name of Object.keys(context.response.headers))
        if (name.startsWith("access-control-")) context.remove(name);
  }
};

/**
 * The bucket's policy (infra/bucket.ts): a write may only create an object; a part creates none. S3 supports only the condition
 * `*`.
 */
export const refuseUnconditionalWrites: Middleware = (context, next) => {
  if ("uploadId" in context.query) return next();
  const condition = context.headers["if-none-match"];
  if (context.method === "PUT" && condition === undefined)
    throw new S3Error("AccessDenied", "An upload needs If-None-Match: *");
  if (context.method === "PUT" && condition !== "*") throw new S3Error("NotImplemented", "If-None-Match takes * alone");
  return next();
};

/** @throws S3Error 412 if the object exists */
export function refuseOverwriting(error: NodeJS.ErrnoException): never {
  if (error.code !== "EEXIST") throw error;
  throw new S3Error("PreconditionFailed", "At least one of the pre-conditions you specified did not hold");
}
