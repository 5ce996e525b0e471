import { brotliCompressSync, gzipSync } from "node:zlib";
import { actorsOf } from "../support/service/actors.ts";
import type { GameResponse, Play } from "../support/service/play.ts";
import type { TestService } from "../support/service/service.ts";
import { newProject, publish, sha256 } from "../support/service/steps.ts";

export const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
export const long = `${"n".repeat(200)}/${"m".repeat(200)}/${"o".repeat(100)}.txt`;
/** The files of the game. */
export const folder = {
  "index.html": "<!doctype html><p>first page",
  "game.js": "let score = 0;",
  "level/index.html": "<!doctype html><p>level",
  "level/map.json": "{}",
  "a #1/index.html": "<!doctype html><p>first",
  "bytes.bin": bytes,
  "empty.txt": "",
  "a b/ü+;,=@&#~$!'().js": "odd",
  "日本/ゲーム.txt": "ゲーム",
  "Build/game.wasm.br": brotliCompressSync("wasm bytes"),
  "Build/game.data.gz": gzipSync("data bytes"),
  "Build/game.framework.js.gz": gzipSync("let unity;"),
  [long]: "far",
};
/** The entity tag of a file. */
export const tag = (path: keyof typeof folder) => `"${sha256(folder[path] ?? "")}"`;

/** One request, and how a game's own origin responds to it. */
export interface Row {
  readonly name: string;
  readonly request: Play;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Buffer;
}

/** A GET request. */
export const get = (path: string, headers: Record<string, string> = {}): Play => ({ path, headers });

/** Parts of a response that a row compares. */
export function observed({ status, headers, body }: GameResponse, row: Row) {
  const names = Object.keys(row.headers ?? {});
  return {
    status,
    headers: Object.fromEntries(names.map((name) => [name, headers[name]])),
    ...(row.body !== undefined && { body: body.toString("latin1") }),
  };
}

/** The same of the row itself. */
export function expected(row: Row) {
  return {
    status: row.status,
    headers: row.headers ?? {},
    ...(row.body !== undefined && { body: Buffer.from(row.body).toString("latin1") }),
  };
}

/** Publishes the folder. @returns the slug of its project */
export async function publishedAt(running: TestService): Promise<string> {
  const ada = await actorsOf(running).developer();
  const published = await newProject(ada);
  await publish(ada, published, { ...folder, "cold.txt": "cold" });
  return published;
}
