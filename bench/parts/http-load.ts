import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { quantileSorted } from "simple-statistics";
import type { Measures } from "../harness/comparison.ts";

export interface LoadMeasures extends Measures {
  readonly requestsPerSecond: number;
  readonly p99Milliseconds: number;
}

/** A request that gets a response of the same length each time. */
export interface LoadRequest {
  readonly port: number;
  readonly host: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What the response must have, or the measurement is of something else. */
  readonly status: number;
}

const connections = 16;

/**
 * Sends one request again and again over 16 connections, on each when the response before it is complete. It counts bytes
 * instead of parsing responses, so that on two processors the server is what is measured.
 *
 * @throws Error where a response has another status
 */
export async function measureLoad(request: LoadRequest, milliseconds: number): Promise<LoadMeasures> {
  const bytes = textOf(request);
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(request.port)));
  try {
    const length = await firstLength(sockets[0] as Socket, bytes);
    const times: number[] = [];
    const started = performance.now();
    const end = started + milliseconds;
    await Promise.all(sockets.map((socket) => repeat(socket, { bytes, length, end, status: request.status, times })));
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
  await once(socket, "connect");
  return socket;
}

/** How many bytes a response has: its head, and as many more as Content-Length says; a 304 has no body. */
async function firstLength(socket: Socket, bytes: string): Promise<number> {
  socket.write(bytes);
  let text = "";
  for (;;) {
    const [chunk] = (await once(socket, "data")) as [Buffer];
    text += chunk.toString("latin1");
    const head = text.indexOf("\r\n\r\n") + 4;
    if (head < 4) continue;
    const isEmpty = text.startsWith("HTTP/1.1 304");
    const length = head + (isEmpty ? 0 : Number(/^content-length: (\d+)/im.exec(text)?.[1]));
    if (Number.isNaN(length)) throw new Error(`A response without Content-Length:\n${text.slice(0, head)}`);
    if (text.length >= length) return length;
  }
}

interface Run {
  readonly bytes: string;
  readonly length: number;
  readonly status: number;
  /** Of `performance.now()`. */
  readonly end: number;
  readonly times: number[];
}

function repeat(socket: Socket, { bytes, length, end, status, times }: Run): Promise<void> {
  const expected = `HTTP/1.1 ${status} `;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let [received, sentAt] = [0, 0];
  const send = () => {
    sentAt = performance.now();
    if (sentAt >= end) return resolve();
    received = 0;
    socket.write(bytes);
  };
  socket.on("data", (chunk) => {
    if (received === 0 && chunk.toString("latin1", 0, expected.length) !== expected)
      return reject(new Error(`Expected ${expected}: ${chunk.toString("latin1", 0, 200)}`));
    received += chunk.length;
    if (received < length) return undefined;
    times.push(performance.now() - sentAt);
    return send();
  });
  socket.once("error", reject);
  send();
  return promise;
}
