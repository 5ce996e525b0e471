import type { IncomingMessage, RequestOptions } from "node:http";
import http from "node:http";
import https from "node:https";
import { retry } from "../retry.ts";
import type { SignedRequest } from "./presigned-url.ts";

/** All attempts finish within the 15 s that most functions have. */
const usualAttemptMilliseconds = 3_500;

/** One request to the object store, to a presigned URL. */
interface StoreRequest {
  readonly method: SignedRequest["method"];
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly attemptMilliseconds?: number;
  readonly maximumAttempts?: number;
}

/** The store refused the request for a reason that a retry does not change. */
export class StoreRefusal extends Error {
  override readonly name = "StoreRefusal";
  readonly status: number;
  /** S3's code of the error. */
  readonly code: string | undefined;

  constructor(status: number, code: string | undefined, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

let agent: http.Agent | undefined;

/** The store responded with an error that a retry may solve. */
export class StoreBusy extends Error {
  override readonly name = "StoreBusy";
}

/** Keeps connections open between requests, and from one invocation of a warm function to the next. */
function keepAliveAgent(client: typeof http | typeof https): http.Agent {
  agent ??= new client.Agent({ keepAlive: true });
  return agent;
}

/** The open connections of a function that was frozen may all be dead: later attempts make new ones. */
const attemptsOnKeptConnections = 2;

/**
 * Sends a request and returns the body of its response. Retries it, but not a DELETE without a response, which may still
 * arrive.
 *
 * @throws StorageUnavailableError if the store fails or cannot be reached, also after retries; StoreRefusal; the error
 *   of the connection for a DELETE without a response
 */
export async function sendToStore(request: StoreRequest): Promise<Buffer> {
  const isTransient = (error: unknown) =>
    request.method === "DELETE" ? error instanceof StoreBusy : !(error instanceof StoreRefusal);
  const { maximumAttempts = 4 } = request;
  return await retry({ maximumAttempts, firstPauseMilliseconds: 40, isTransient }, (attempt) =>
    sendOnce(request, attempt <= attemptsOnKeptConnections),
  );
}

function sendOnce(
  { method, url, headers, body, attemptMilliseconds = usualAttemptMilliseconds }: StoreRequest,
  onKeptConnection: boolean,
): Promise<Buffer> {
  const client = url.startsWith("http:") ? http : https;
  const options: RequestOptions = {
    method,
    // Without an agent, the request makes a new connection.
    agent: onKeptConnection && keepAliveAgent(client),
    signal: AbortSignal.timeout(attemptMilliseconds),
    ...(headers && { headers }),
  };
  return new Promise((resolve, reject) => {
    const request = client.request(url, options, (response) => {
      read(method, response).then(resolve, reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}

/**
 * A write may only create an object, and all objects of one key are equal. So 412 means that the object exists, and 409 that
 * another request is creating it, which is retried
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html).
 */
async function read(method: StoreRequest["method"], response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const { statusCode = 0 } = response;
  // The completion of a multipart upload, and a copy, can fail after the status was sent.
  const hasFailed = (method === "POST" || method === "PUT") && body.includes("<Error>");
  const isWritten = statusCode === 412 && (method === "PUT" || method === "POST");
  if ((statusCode === 200 && !hasFailed) || statusCode === 204 || statusCode === 206 || isWritten) return body;
  const code = /<Code>(\w+)<\/Code>/.exec(body.toString())?.[1];
  const message = `The object store responded with ${statusCode} ${code ?? ""}`;
  const isPassing =
    statusCode === 200 || statusCode >= 500 || [409, 429].includes(statusCode) || code === "RequestTimeout";
  throw isPassing ? new StoreBusy(message) : new StoreRefusal(statusCode, code, message);
}
