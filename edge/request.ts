/** A request for something of a game's own origin, wherever it arrived. */
export interface EdgeRequest {
  readonly method: string;
  /** Path and query as they were sent: percent-encoded. */
  readonly target: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Response of the edge. */
export interface EdgeResponse {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: EdgeHeaders;
  /** Undefined for a response without a body, such as every one to HEAD. */
  readonly body: EdgeBody | undefined;
}

/** Set-Cookie alone can have several values. */
export type EdgeHeaders = Readonly<Record<string, string | readonly string[]>>;

/** A text, or some bytes of an object of the project: from `start` to before `end`. */
export type EdgeBody =
  | { readonly text: string }
  | { readonly sha256: string; readonly start: number; readonly end: number };

/** A request's path as the manifests have it, and its query with the question mark, as it was sent. */
export interface Target {
  /** Decoded, without the slash at its beginning; `resolve` normalises it, because CloudFront's runtime cannot. */
  readonly path: string;
  readonly query: string;
}

/**
 * Parses a request's target; undefined if it is no path, its percent-encoding is broken (RFC 3986, section 2.1) or it has
 * a segment `.` or `..`: browsers send none, and a cache that resolves them would take one path for another.
 */
export function targetOf(target: string): Target | undefined {
  const end = target.indexOf("?");
  const path = end === -1 ? target : target.slice(0, end);
  if (!path.startsWith("/")) return undefined;
  try {
    const decoded = decodeURIComponent(path.slice(1));
    if (decoded.split("/").some((segment) => segment === "." || segment === "..")) return undefined;
    return { path: decoded, query: target.slice(path.length) };
  } catch {
    return undefined;
  }
}

/** The cookies of a request, each as `name=value`. */
export function cookiesOf({ headers }: EdgeRequest): string[] {
  return (headers["cookie"] || "").split(";").map((cookie) => cookie.trim());
}

/** The value of the first cookie of a name; empty if there is none. */
export function cookieOf(request: EdgeRequest, name: string): string {
  const cookie = cookiesOf(request).find((text) => text.startsWith(`${name}=`));
  return cookie === undefined ? "" : cookie.slice(name.length + 1);
}
