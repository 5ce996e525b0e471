import type { EdgeRequest } from "./request.ts";

/*
 * One release for one visit. The response to a document names the live release in a cookie, and everything that the page
 * then asks for comes from that release, also after another one went live.
 */

/** `__Host-`: only this very host can set it, so that no other game can choose a visitor's release. */
const cookieName = "__Host-svc-release";

/** What a project's pointer says: digests of manifests. */
export interface LiveRelease {
  readonly live: string;
  /** The release that was live before. */
  readonly previous: string | undefined;
}

export interface Visit {
  /** The digests of the manifests in which to look for the path, in this order. */
  readonly order: readonly string[];
  /** Set-Cookie, where the visit continues with another release. */
  readonly setCookie: string | undefined;
}

/**
 * Which releases a request may be served from. A document and a service worker's script come only from the live
 * release, so a file that it removed is gone. Everything else comes from the release with which the visit began; a file
 * that is not there is looked for in the live release and in the one before.
 */
export function visitOf(request: EdgeRequest, { live, previous }: LiveRelease): Visit {
  const fixed = fixedRelease(request.headers["cookie"] ?? "");
  if (startsVisit(request)) return { order: [live], setCookie: fixed === live ? undefined : cookieFor(live) };
  if (request.headers["service-worker"] === "script") return { order: [live], setCookie: undefined };
  const order = [fixed, live, previous].filter((digest) => digest !== undefined);
  return { order: [...new Set(order)], setCookie: undefined };
}

function cookieFor(digest: string): string {
  return `${cookieName}=${digest}; Path=/; Secure; HttpOnly; SameSite=Lax`;
}

function fixedRelease(cookies: string): string | undefined {
  const value = cookies
    .split(";")
    .map((cookie) => cookie.trim())
    .find((cookie) => cookie.startsWith(`${cookieName}=`))
    ?.slice(cookieName.length + 1);
  return value !== undefined && /^[0-9a-f]{64}$/.test(value) ? value : undefined;
}

const frames = new Set(["iframe", "frame", "embed", "object"]);

/**
 * Whether a person opens a page: at the top, or in a frame of another site. A frame of the game itself belongs to the
 * visit. Browsers say so in Sec-Fetch headers (Fetch Metadata Request Headers, section 2.1); where one does not, its
 * Accept header tells.
 */
function startsVisit({ headers }: EdgeRequest): boolean {
  const { "sec-fetch-dest": destination, "sec-fetch-site": site, accept = "" } = headers;
  if (destination === undefined) return accept.includes("text/html");
  return destination === "document" || (frames.has(destination) && site !== "same-origin");
}
