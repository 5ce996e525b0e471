import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { link, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import S3rver from "@20minutes/s3rver";
import AWSAccount from "@20minutes/s3rver/lib/models/account.js";
import S3Error from "@20minutes/s3rver/lib/models/error.js";
import { dummyCredentials } from "../credentials.ts";
import { foreignRequestReason, type OriginRule } from "../gateway/foreign-request.ts";
import type { Part } from "../part.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { multipartUploads } from "./multipart.ts";
import { FolderListings, type Listing, type ListOptions, objectSuffix } from "./object-listing.ts";
import {
  refuseOverwriting,
  refuseUnconditionalWrites,
  refuseUnsignedHeaders,
  sendCorsHeadersToPagesAlone,
  verifyBucketUrls,
} from "./s3-rules.ts";

/*
 * The object store: s3rver, which verifies signatures, signed lengths and expiry. Added here: an object is written completely
 * or not at all, its bytes must match the signed x-amz-checksum-sha256, and the bucket is private.
 */

interface StoreOptions extends OriginRule {
  readonly credentials?: typeof dummyCredentials;
  readonly overwrites?: boolean;
}

/**
 * Starts the object store on a free port, with one bucket.
 *
 * @param dataFolder the folder of the objects; undefined: a temporary folder, which `stop` removes
 * @param options `credentials`: the only ones that may sign; `overwrites`: whether objects may be overwritten, as in a bucket
 *   without our policy; the others: whose pages may send requests
 */
export async function startObjectStore(
  bucketName: string,
  dataFolder: string | undefined,
  { credentials = dummyCredentials, overwrites = false, ...rule }: StoreOptions = { ports: [] },
): Promise<Part & { directory: string }> {
  const { accessKeyId, secretAccessKey } = credentials;
  const directory = dataFolder ? join(dataFolder, "objects") : await temporaryFolder("objects");
  await mkdir(directory, { recursive: true });
  AWSAccount.DUMMY_ACCOUNT.createKeyPair(accessKeyId, secretAccessKey);
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    directory,
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: bucketName, configs: [corsRules] }],
  });
  // Its `silent` leaves a logger that complains, with the URL, about a request that ends while the store stops.
  server.logger.silent = true;
  const listings = new FolderListings(directory);
  server.middleware.unshift(
    sendCorsHeadersToPagesAlone,
    refuseForeign(rule),
    refuseUnsigned,
    refuseUnsignedHeaders,
    verifyBucketUrls,
    ...(overwrites ? [] : [refuseUnconditionalWrites]),
    multipartUploads(directory, (path) => listings.objectWritten(path)),
    listingQuickly(listings),
    storingWholeAndChecked(listings, overwrites),
    deletingObjectsAlone(directory, listings),
  );
  const { port } = await server.run();
  server.store.getSubresource = readOnce(server.store, bucketName);
  server.httpServer.keepAliveTimeout = 60_000;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    directory,
    stop: async () => {
      const closed = server.close();
      server.httpServer.closeAllConnections();
      await closed;
      if (dataFolder === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}

/**
 * Every origin may read: a published page, in an opaque origin, loads files through redirects to the store. The dashboard
 * uploads; that others do not is {@link refuseForeign}'s.
 */
const corsRules = `<CORSConfiguration><CORSRule>
  <AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod><AllowedMethod>HEAD</AllowedMethod>
</CORSRule><CORSRule>
  <AllowedOrigin>*</AllowedOrigin><AllowedMethod>PUT</AllowedMethod>
  <AllowedHeader>if-none-match</AllowedHeader><AllowedHeader>x-amz-checksum-sha256</AllowedHeader>
</CORSRule></CORSConfiguration>`;

type Middleware = S3rver["middleware"][number];

/**
 * s3rver reads the CORS rules of the bucket, and looks whether it is a website, from files at every request; here they stay as
 * they were at the start.
 */
function readOnce(store: S3rver["store"], bucketName: string): S3rver["store"]["getSubresource"] {
  const read = store.getSubresource.bind(store);
  const configurations = new Map<string, Promise<unknown>>();
  return (bucket, key, kind) => {
    if (bucket !== bucketName || key !== undefined) return read(bucket, key, kind);
    const configuration = configurations.get(kind) ?? read(bucket, key, kind);
    configurations.set(kind, configuration);
    return configuration;
  };
}

/** Published pages may only read. */
function refuseForeign(rule: OriginRule): Middleware {
  return (context, next) => {
    const asked = context.method === "OPTIONS" ? context.headers["access-control-request-method"] : context.method;
    const refusal = foreignRequestReason(context.headers, { ...rule, published: asked === "GET" || asked === "HEAD" });
    if (refusal !== undefined) throw new S3Error("AccessDenied", refusal);
    return next();
  };
}

const refuseUnsigned: Middleware = (context, next) => {
  const isSigned = "authorization" in context.headers || "X-Amz-Signature" in context.query;
  if (!isSigned && context.method !== "OPTIONS") throw new S3Error("AccessDenied", "Access Denied");
  return next();
};

/**
 * Replaces the store's list by a fast one. A list with a maximum says whether there is more, and the next one starts after its
 * last key; a list without one has all keys, because there is no continuation token.
 */
function listingQuickly(listings: FolderListings): Middleware {
  return async (context, next) => {
    const { store } = context;
    let isTruncated = false;
    context.store = Object.create(store, {
      listObjects: {
        value: async (bucket: string, options: ListOptions): Promise<Listing> => {
          const isLimited = "max-keys" in context.query;
          const listing = await listings.list(bucket, isLimited ? options : { ...options, maxKeys: Infinity });
          isTruncated = listing.isTruncated;
          return { ...listing, isTruncated: false };
        },
      },
    });
    await next();
    if (isTruncated && typeof context.body === "string")
      context.body = context.body.replace("<IsTruncated>false<", "<IsTruncated>true<");
  };
}

/**
 * Replaces the store's write: the object is written to a temporary file and linked to its path once complete. Refused if
 * the checksum of the request (header or signed parameter) differs, or if the object exists.
 */
function storingWholeAndChecked(listings: FolderListings, overwrites: boolean): Middleware {
  return (context, next) => {
    context.store = Object.create(context.store, {
      putContent: {
        value: async (path: string, content: Readable | Buffer): Promise<[number, string]> => {
          const temporary = `${path}.${randomUUID()}`;
          try {
            const { sizeBytes, md5, sha256 } = await write(temporary, content);
            // Only now: when s3rver checks the signature, it copies signed parameters into the headers.
            const expected = context.headers["x-amz-checksum-sha256"];
            if (expected !== undefined && expected !== sha256)
              throw new S3Error("BadDigest", "The SHA256 you specified did not match the calculated checksum.");
            await (overwrites ? rename(temporary, path) : link(temporary, path).catch(refuseOverwriting));
            listings.objectWritten(path);
            return [sizeBytes, md5];
          } finally {
            await rm(temporary, { force: true });
          }
        },
      },
    });
    return next();
  };
}

/** Deletes only the object. s3rver itself removes an empty folder, even while another object is written into it. */
function deletingObjectsAlone(directory: string, listings: FolderListings): Middleware {
  return (context, next) => {
    context.store = Object.create(context.store, {
      deleteObject: {
        value: async (bucket: string, key: string): Promise<void> => {
          const path = join(directory, bucket, key);
          listings.objectDeleted(path + objectSuffix);
          const parts = [objectSuffix, `${objectSuffix}.md5`, "._S3rver_metadata.json"];
          for (const suffix of parts) await rm(path + suffix, { force: true });
        },
      },
    });
    return next();
  };
}

async function write(path: string, content: Readable | Buffer) {
  const md5 = createHash("md5");
  const sha256 = createHash("sha256");
  let sizeBytes = 0;
  async function* digest(chunks: AsyncIterable<Buffer> | Iterable<Buffer>) {
    for await (const chunk of chunks) {
      md5.update(chunk);
      sha256.update(chunk);
      sizeBytes += chunk.length;
      yield chunk;
    }
  }
  await pipeline(Buffer.isBuffer(content) ? [content] : content, digest, createWriteStream(path));
  return { sizeBytes, md5: md5.digest("hex"), sha256: sha256.digest("base64") };
}
