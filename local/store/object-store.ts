import { once } from "node:events";
import { mkdir, rm } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { dummyCredentials } from "../credentials.ts";
import type { Part } from "../part.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { addCorsHeaders, refuseForeign, respondToPreflight, type StoreRule } from "./cors.ts";
import { MultipartUploads } from "./multipart.ts";
import { ObjectFolder } from "./object-folder.ts";
import { listObjects } from "./object-list.ts";
import { deleteObject, getObject, putObject, refuseUnconditionalWrite } from "./object-requests.ts";
import { S3Error } from "./s3-error.ts";
import { type StoreRequest, usualSkewMilliseconds, verifySignature } from "./signature.ts";
import { element, text } from "./xml.ts";

/*
 * The part of Amazon S3 that the service and people's S3 clients use, with one private bucket: what succeeds here also succeeds there.
 */

interface StoreOptions extends StoreRule {
  readonly port?: number;
  readonly credentials?: typeof dummyCredentials;
  readonly overwrites?: boolean;
  readonly skewMilliseconds?: number;
  readonly onWritten?: (key: string) => void;
}

/**
 * Starts the object store, with one bucket.
 *
 * @param dataFolder the folder of the objects; undefined: a temporary folder, which `stop` removes
 * @param options `port`: a free one if it is left out; `credentials`: the only ones that may sign; `overwrites`: whether objects may be
 *   overwritten, as in a bucket without our policy; `skewMilliseconds`: how much the clocks of both sides may differ; `onWritten`:
 *   is called with the key of each new object; the others: whose pages may send requests
 */
export async function startObjectStore(
  bucketName: string,
  dataFolder: string | undefined,
  {
    port = 0,
    credentials = dummyCredentials,
    overwrites = false,
    skewMilliseconds = usualSkewMilliseconds,
    onWritten,
    ...rule
  }: StoreOptions = { ports: [] },
): Promise<Part & { directory: string }> {
  const directory = dataFolder ? join(dataFolder, "objects") : await temporaryFolder("objects");
  const bucketFolder = join(directory, bucketName);
  await mkdir(bucketFolder, { recursive: true });
  const objects = new ObjectFolder(bucketFolder, overwrites, onWritten);
  const bucket: Bucket = { name: bucketName, objects, uploads: new MultipartUploads(objects), overwrites };
  const server = createServer(async (request, response) => {
    try {
      refuseForeign(request, rule);
      addCorsHeaders(request, response);
      if (request.method === "OPTIONS") respondToPreflight(request, response);
      else await respond(verifySignature(request, response, credentials, skewMilliseconds), bucket);
    } catch (error) {
      respondWithError(response, error);
    }
  });
  server.keepAliveTimeout = 60_000;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    directory,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      if (dataFolder === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}

interface Bucket {
  readonly name: string;
  readonly objects: ObjectFolder;
  readonly uploads: MultipartUploads;
  readonly overwrites: boolean;
}

async function respond(request: StoreRequest, { name, objects, uploads, overwrites }: Bucket): Promise<void> {
  const { method, bucket, key, query } = request;
  if (bucket !== name) throw new S3Error("NoSuchBucket", "The specified bucket does not exist");
  if (query.has("uploads") || query.has("uploadId")) return sendXml(request, await uploads.respond(request));
  if (key === "") return await respondToBucket(request, objects);
  if (method === "GET" || method === "HEAD") return await getObject(request, objects);
  if (method === "DELETE") return await deleteObject(request, objects);
  if (method !== "PUT") throw methodNotAllowed();
  if (!overwrites) refuseUnconditionalWrite(request);
  await putObject(request, objects);
}

async function respondToBucket(request: StoreRequest, objects: ObjectFolder): Promise<void> {
  if (request.method === "HEAD") request.response.end();
  else if (request.method !== "GET") throw methodNotAllowed();
  else if (request.query.has("location")) sendXml(request, text("LocationConstraint", "eu-central-1"));
  else sendXml(request, await listObjects(request, objects));
}

function methodNotAllowed(): S3Error {
  return new S3Error("MethodNotAllowed", "The specified method is not allowed against this resource.");
}

function sendXml({ response }: StoreRequest, xml: string): void {
  response.setHeader("content-type", "application/xml").end(xml);
}

/** Nothing is logged: the URL of a request that breaks off, or that the stop interrupts, is signed. */
function respondWithError(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const { code, status, message } = error instanceof S3Error ? error : new S3Error("InternalError", String(error));
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(element("Error", text("Code", code), text("Message", message)));
}
