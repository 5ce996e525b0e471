import type { EdgeRequest, EdgeResponse } from "../request.ts";

/*
 * Events of CloudFront Functions, as
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-event-structure.html has them, and what they
 * are to the rest of the edge.
 */

interface Value {
  value: string;
  /** If the name stands several times; its first one is `value` too. */
  multiValue?: readonly { readonly value: string }[];
}

interface SetCookie {
  value: string;
  attributes?: string;
}

export interface ViewerRequest {
  method: string;
  /** As the viewer sent it, without the query. */
  uri: string;
  /** By their names in lower case, without Cookie. */
  headers: Record<string, Value> & { readonly host: Value };
  cookies: Record<string, Value>;
  /** Without the question mark; undefined if there is none. */
  rawQueryString(): string | undefined;
}

export interface ViewerResponse {
  statusCode: number;
  headers: Record<string, Value>;
  cookies?: Record<string, SetCookie>;
  body?: { readonly encoding: "text"; readonly data: string };
}

/** The request, without its query: only redirects have one, and they get it from the viewer's response. */
export function edgeRequestOf({ method, uri, headers, cookies }: ViewerRequest): EdgeRequest {
  const texts: Record<string, string> = {};
  Object.keys(headers).forEach((name) => {
    texts[name] = valuesOf(headers[name] as Value).join(", ");
  });
  texts["cookie"] = Object.entries(cookies)
    .map(([name, field]) =>
      valuesOf(field)
        .map((value) => `${name}=${value}`)
        .join("; "),
    )
    .join("; ");
  return { method, target: uri, headers: texts };
}

function valuesOf(field: Value): string[] {
  return field.multiValue === undefined ? [field.value] : field.multiValue.map(({ value }) => value);
}

/** A response of our own. CloudFront gives it its length. */
export function viewerResponseOf({ status, headers, body }: EdgeResponse): ViewerResponse {
  const response: ViewerResponse = { statusCode: status, headers: {} };
  setHeaders(response, headers);
  if (body !== undefined && "text" in body) response.body = { encoding: "text", data: body.text };
  return response;
}

/** Adds headers to a response; its cookies have a place of their own. */
export function setHeaders(response: ViewerResponse, headers: EdgeResponse["headers"]): void {
  Object.entries(headers).forEach(([name, value]) => {
    if (typeof value === "string") response.headers[name] = { value };
    else
      value.forEach((text) => {
        setCookie(response, text);
      });
  });
}

/** Each of ours has attributes. */
function setCookie(response: ViewerResponse, text: string): void {
  const equals = text.indexOf("=");
  const end = text.indexOf("; ");
  response.cookies ||= {};
  response.cookies[text.slice(0, equals)] = { value: text.slice(equals + 1, end), attributes: text.slice(end + 2) };
}
