import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { promisify } from "node:util";
import { quantileSorted } from "simple-statistics";
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
  /** What the response must have, or the measurement is of something else. */
  readonly status: number;
}

const connections = 16;
/** A server on the same machine responds in milliseconds. */
const responseMilliseconds = 30_000;

/** Whether `wrk` is installed: it takes far less of a processor than what it measures. */
const hasWrk = (() => {
  try {
    // Without arguments it prints its usage and fails, if it is there.
    execFileSync("wrk", { stdio: "ignore" });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
})();

/**
 * Sends one request again and again over 16 connections: with `wrk` for whole seconds, otherwise with a generator of ours.
 *
 * @throws Error if a response has another status, if it takes too long, or if the server closes a connection
 */
export async function measureLoad(request: LoadRequest, milliseconds: number): Promise<LoadMeasures> {
  return hasWrk ? await measureByWrk(request, milliseconds) : await measureByOurs(request, milliseconds);
}

async function measureByWrk(request: LoadRequest, milliseconds: number): Promise<LoadMeasures> {
  const { port, path, host, headers } = request;
  const socket = await open(port);
  await firstBodyLength(socket, textOf(request), request.status);
  socket.destroy();
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

/** On each connection when the response before it is complete. It reads the head's end and counts bytes instead of parsing responses. */
async function measureByOurs(request: LoadRequest, milliseconds: number): Promise<LoadMeasures> {
  const bytes = textOf(request);
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(request.port)));
  try {
    const bodyLength = await firstBodyLength(sockets[0] as Socket, bytes, request.status);
    const times: number[] = [];
    const started = performance.now();
    const end = started + milliseconds;
    await Promise.all(
      sockets.map((socket) => repeat(socket, { bytes, bodyLength, end, status: request.status, times })),
    );
    const seconds = (performance.now() - started) / 1_000;
    times.sort((a, b) => a - b);
    return { requestsPerSecond: times.length / seconds, p99Milliseconds: quantileSorted(times, 0.99) };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

function textOf({ host, path, headers }: LoadRequest): string {
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  socket.setTimeout(responseMilliseconds, () => socket.destroy(new Error(`No response on port ${port}`)));
  await once(socket, "connect");
  return socket;
}

/** How many bytes the body of a complete response has: as many as Content-Length says; a 304 has none. */
async function firstBodyLength(socket: Socket, bytes: string, status: number): Promise<number> {
  socket.write(bytes);
  const closed = closing(socket);
  let text = "";
  for (;;) {
    const [chunk] = (await Promise.race([once(socket, "data"), closed])) as [Buffer];
    text += chunk.toString("latin1");
    const head = text.indexOf("\r\n\r\n") + 4;
    if (head < 4) continue;
    if (!text.startsWith(`HTTP/1.1 ${status} `)) throw new Error(`Expected ${status}: ${text.slice(0, head)}`);
    const isEmpty = text.startsWith("HTTP/1.1 304");
    const length = isEmpty ? 0 : Number(/^content-length: (\d+)/im.exec(text)?.[1]);
    if (Number.isNaN(length)) throw new Error(`A response without Content-Length:\n${text.slice(0, head)}`);
    if (text.length >= head + length) return length;
  }
}

/** @throws Error as soon as the server closes the connection, which it must not do between requests */
async function closing(socket: Socket): Promise<never> {
  await once(socket, "close");
  throw new Error("The server has closed a connection before its response was complete");
}

interface Run {
  readonly bytes: string;
  readonly bodyLength: number;
  readonly status: number;
  /** Of `performance.now()`. */
  readonly end: number;
  readonly times: number[];
}

function repeat(socket: Socket, { bytes, bodyLength, end, status, times }: Run): Promise<void> {
  const expected = `HTTP/1.1 ${status} `;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let [received, length, sentAt] = [0, 0, 0];
  const send = () => {
    sentAt = performance.now();
    if (sentAt >= end) return resolve();
    received = 0;
    socket.write(bytes);
  };
  socket.on("data", (chunk) => {
    if (received === 0) {
      // The head comes in one piece, and not always in the same length: a cache says since when it has the file.
      const head = chunk.indexOf("\r\n\r\n") + 4;
      if (head < 4 || chunk.toString("latin1", 0, expected.length) !== expected)
        return reject(new Error(`Expected ${expected}: ${chunk.toString("latin1", 0, 200)}`));
      length = head + bodyLength;
    }
    received += chunk.length;
    if (received < length) return undefined;
    times.push(performance.now() - sentAt);
    return send();
  });
  closing(socket).catch(reject);
  send();
  return promise;
}
