import * as fs from "node:fs";
import type { ApiRequest, Client } from "../../contract/client.ts";
import { formatApiUrl } from "./api-url.ts";
import { usageError } from "./errors.ts";
import { printable } from "./text.ts";

interface Words {
  readonly method: string;
  readonly path: string;
  /** Each as `name=text`. */
  readonly strings: readonly string[];
  /** Each as `name=JSON`. */
  readonly values: readonly string[];
  /** A file, or `-` for standard input. */
  readonly input?: string | undefined;
  /** Each as `name: value`. */
  readonly headers: readonly string[];
}

/**
 * Makes the request of a command line.
 *
 * @throws UserError (exit code 2) for a path that leads out of the API, and for malformed fields and headers
 */
export function requestOf(api: URL, { method, path, strings, values, input, headers }: Words): ApiRequest {
  if (!/^[A-Za-z]+$/.test(method))
    throw usageError(`${printable(method)} is no method. The method comes first: svc api GET /me`);
  const url = urlOf(api, path);
  const fields = [
    ...strings.map((field) => splitAt(field, "=")),
    ...values.map((field) => splitAt(field, "=")).map(([name, text]) => [name, jsonOr(text)] as const),
  ];
  const verb = method.toUpperCase();
  const isQuery = verb === "GET" || verb === "HEAD";
  if (isQuery) for (const [name, value] of fields) url.searchParams.append(name, String(value));
  const given = input === undefined ? undefined : fs.readFileSync(input === "-" ? 0 : input, "utf8");
  const body = isQuery || fields.length === 0 ? given : JSON.stringify(Object.fromEntries(fields));
  const type = body !== undefined && { "content-type": "application/json" };
  return { method: verb, url, headers: { ...type, ...Object.fromEntries(headers.map(headerOf)) }, body };
}

/** The token goes to the API alone: the path must not lead to another origin, nor out of the API's own path. */
function urlOf(api: URL, path: string): URL {
  const text = new URL(api.href).href + path.slice(1);
  const url = path.startsWith("/") && URL.canParse(text) ? new URL(text) : undefined;
  if (url?.origin === api.origin && url.pathname.startsWith(api.pathname) && url.username === "") return url;
  throw usageError(`The path must begin with / and stay in ${formatApiUrl(api)}: ${printable(path)}`, {
    next: "svc api GET /me; --api chooses another API.",
  });
}

function splitAt(text: string, separator: string): [name: string, value: string] {
  const end = text.indexOf(separator);
  if (end > 0) return [text.slice(0, end).trim(), text.slice(end + 1)];
  throw usageError(`${printable(text)} has no name before ${separator}.`);
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Headers that svc or HTTP itself decides: another host, credential or length would go round a check. */
const ownHeaders = ["authorization", "connection", "content-length", "cookie", "host", "transfer-encoding", "upgrade"];

function headerOf(text: string): [name: string, value: string] {
  const [name, value] = splitAt(text, ":");
  if (!/^[\w-]+$/.test(name) || /[\r\n\0]/.test(value)) throw usageError(`${printable(text)} is no header.`);
  if (ownHeaders.includes(name.toLowerCase())) throw usageError(`svc itself sets the header ${name}.`);
  return [name.toLowerCase(), value.trim()];
}

interface ApiResponse {
  readonly status: number;
  readonly location: string | undefined;
  /** JSON; bytes of another type; undefined for none. */
  readonly body: unknown;
}

/** The response, and with `isAll` those of the pages that follow it. */
export async function* bodiesOf(client: Client, request: ApiRequest, isAll: boolean): AsyncGenerator<ApiResponse> {
  for (let next: ApiRequest | undefined = request; next !== undefined; ) {
    const { status, header, bytes } = await client.send(next);
    const body = bodyOf(Buffer.from(bytes ?? []), header("content-type") ?? "");
    yield { status, location: header("location") ?? undefined, body };
    const cursor = isAll && status < 400 ? (body as { next_cursor?: unknown } | undefined)?.next_cursor : undefined;
    next = typeof cursor === "string" ? pageAfter(next, cursor) : undefined;
  }
}

function pageAfter(request: ApiRequest, cursor: string): ApiRequest | undefined {
  // An API that sends the same page again and again must not be asked for ever.
  if (request.url.searchParams.get("cursor") === cursor) return undefined;
  const url = new URL(request.url);
  url.searchParams.set("cursor", cursor);
  return { ...request, url };
}

function bodyOf(bytes: Buffer, type: string): unknown {
  if (bytes.length === 0) return undefined;
  if (!/^application\/(?:[\w.+-]*\+)?json\b/.test(type)) return bytes;
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return bytes;
  }
}
