import { Agent, request as httpRequest } from "node:http";
import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import type { Method } from "../../contract/route.ts";
import type { ApiRequest } from "../stage/invocation.ts";

/** What a load test gave. */
export interface LoadResult {
  readonly requestsPerSecond: number;
  /** Nanoseconds from sending a request to the end of its response. */
  readonly latencies: RecordableHistogram;
}

/**
 * Sends the requests over so many connections that are kept open, each sending its next one as soon as it has its response.
 *
 * @throws Error at the first response that is an error
 */
export async function applyLoad(load: {
  api: string;
  method: Method;
  requests: readonly ApiRequest[];
  connections: number;
}): Promise<LoadResult> {
  const { api, method, requests, connections } = load;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latencies = createHistogram();
  let next = 0;
  const connection = async () => {
    while (next < requests.length) {
      const request = requests[next] as ApiRequest;
      next += 1;
      const started = process.hrtime.bigint();
      await exchange(api, method, request, agent);
      latencies.record(process.hrtime.bigint() - started);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: connections }, connection));
  const seconds = (performance.now() - started) / 1_000;
  agent.destroy();
  return { requestsPerSecond: requests.length / seconds, latencies };
}

function exchange(api: string, method: Method, { path, credential, body }: ApiRequest, agent: Agent): Promise<void> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
    ...(text !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest(api + path, { method, headers, agent }, (response) => {
      const status = response.statusCode ?? 0;
      response.resume();
      response.on("error", reject);
      response.on("end", () => {
        if (status < 400) resolve();
        else reject(new Error(`${method} ${path} answered ${status}`));
      });
    });
    request.on("error", reject);
    request.end(text);
  });
}
