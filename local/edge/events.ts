import type { CloudFrontHeaders } from "aws-lambda";

/*
 * The events of CloudFront Functions and of Lambda@Edge, and what neither may change: "CloudFront Functions event structure",
 * "Lambda@Edge event structure" and "Restrictions on all edge functions" of CloudFront's Developer Guide.
 */

export type Headers = Readonly<Record<string, string | undefined>>;

/** CloudFront responds with this status if a function fails, or gives what CloudFront refuses. */
export class FunctionFailure extends Error {
  override readonly name = "FunctionFailure";
  readonly status: 502 | 503;

  constructor(status: 502 | 503, message: string, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

/** Headers and cookies as a viewer function gets them. */
export function viewerFields({ cookie = "", ...headers }: Headers) {
  const fields: Record<string, { value: string }> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) fields[name] = { value };
  }
  return { headers: fields, cookies: cookie === "" ? {} : cookiesOf(cookie) };
}

function cookiesOf(cookie: string) {
  const cookies: Record<string, { value: string; multiValue?: { value: string }[] }> = {};
  for (const part of cookie.split(";").filter((text) => text.trim() !== "")) {
    const [, name = "", value = ""] = /^([^=]*)=?(.*)$/.exec(part.trim()) ?? [];
    const first = cookies[name];
    if (first === undefined) cookies[name] = { value };
    else first.multiValue = [...(first.multiValue ?? [{ value: first.value }]), { value }];
  }
  return cookies;
}

/** A response as a viewer function gives it. */
export interface ViewerResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, { readonly value: string }>>;
  readonly cookies?: Readonly<Record<string, { readonly value: string; readonly attributes?: string }>>;
  readonly body?: { readonly data: string };
}

/** A viewer function's headers, and its cookies as Set-Cookie. */
export function headersOf({ headers, cookies = {} }: Omit<ViewerResult, "statusCode">) {
  const plain: Record<string, string> = {};
  for (const name in headers) plain[name] = headers[name]?.value ?? "";
  const setCookie = Object.entries(cookies).map(([name, { value, attributes }]) => `${name}=${value}; ${attributes}`);
  return { headers: plain, setCookie };
}

/** Headers in the form of Lambda@Edge's events. */
export function eventHeaders(headers: Headers): CloudFrontHeaders {
  const sent = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(sent.map(([name, value]) => [name, [{ key: name, value }]]));
}

export function plainHeaders(headers: CloudFrontHeaders = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [name, values.map(({ value }) => value).join(", ")]),
  );
}

/** Headers that the functions at each event may read and not change. */
export const readOnly = {
  viewerRequest: ["content-length", "host", "transfer-encoding", "via"],
  viewerResponse: ["warning", "via"],
  originRequest: ["accept-encoding", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since"],
  originResponse: ["transfer-encoding", "via"],
} as const;

const disallowed =
  /^(connection|expect|keep-alive|proxy-.*|trailer|upgrade|x-accel-.*|x-amz-cf-.*|x-amzn-.*|x-cache|x-edge-.*|x-forwarded-proto|x-real-ip)$/;

/** @throws FunctionFailure 502 if a function changed a header that it may only read, or added one that it may not */
export function assertAllowed(event: keyof typeof readOnly, before: Headers, after: Headers): void {
  for (const name of readOnly[event])
    if (before[name] !== after[name]) throw new FunctionFailure(502, `A function changed the read-only header ${name}`);
  for (const name in after)
    if (before[name] === undefined && disallowed.test(name))
      throw new FunctionFailure(502, `A function added the header ${name}`);
}
