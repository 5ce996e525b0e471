import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { sendTo } from "../../../test/support/service/play.ts";
import type { Measures } from "../harness/comparison.ts";

export interface LoadMeasures extends Measures {
  readonly requestsPerSecond: number;
  readonly p99Milliseconds: number;
}

/** A request that gets a response with the same body each time. */
export interface LoadRequest {
  readonly port: number;
  readonly host: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Status that the response must have, or the measurement is of something else. */
  readonly status: number;
}

const connections = 16;
/** A server on the same machine responds in milliseconds. */
const responseMilliseconds = 30_000;

/**
 * Sends one request again and again over 16 connections, with `wrk` and for whole seconds.
 *
 * @throws Error if wrk is not installed, if a response has another status, or if the server closes a connection
 */
export async function measureLoad(request: LoadRequest, milliseconds: number): Promise<LoadMeasures> {
  const { port, path, host, headers } = request;
  const { status } = await sendTo(`http://127.0.0.1:${port}`, host, { path, headers });
  if (status !== request.status) throw new Error(`Expected ${request.status}: ${path} responded with ${status}`);
  // `Host` exactly so: beside a header of another case wrk sends its own too.
  const lines = Object.entries({ Host: host, ...headers }).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const seconds = Math.max(1, Math.round(milliseconds / 1_000));
  const words = ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", ...lines, `http://127.0.0.1:${port}${path}`];
  const { stdout } = await promisify(execFile)("wrk", words, { timeout: milliseconds + responseMilliseconds });
  const rate = /^Requests\/sec:\s+([\d.]+)/m.exec(stdout)?.[1];
  const [, p99, unit] = /^\s+99%\s+([\d.]+)(us|ms|s)/m.exec(stdout) ?? [];
  if (rate === undefined || unit === undefined || /Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout);
  return {
    requestsPerSecond: Number(rate),
    p99Milliseconds: Number(p99) * { us: 0.001, ms: 1, s: 1_000 }[unit as "us"],
  };
}
