import { cookiesOf, type EdgeRequest } from "./request.ts";

/*
 * One release for one visit. The response to a document names the live release in a cookie, and everything that the page
 * then asks for comes from that release, also after another one went live (docs/decisions/0045-visits-and-workers.md).
 */

/** `__Host-`: only this very host can set it, so that no other game can choose a visitor's release. */
const cookieName = "__Host-svc-release";

/** What a project's pointer says: digests of manifests. */
export interface LiveRelease {
  readonly live: string;
  /**
   * Releases that were live before and that are not withdrawn: a visit that began with one continues with it. The first
   * digits are enough (pointer.ts).
   */
  readonly earlier: readonly string[];
}

export interface Visit {
  /** The digests of the manifests in which to look for the path, in this order. */
  readonly order: readonly string[];
  /** Set-Cookie, where the visit continues with another release. */
  readonly setCookie: string | undefined;
}

/**
 * Which releases a request may be served from. A document and a service worker's script come only from the live
 * release, so a file that it removed is gone, and both move the visit there: what a worker installs must be of the release
 * of its script. Everything else comes from the release with which the visit began; a file that is not there is looked for
 * in the live release and in the one that the visit had before. A request without a visit gets the live release alone.
 */
export function visitOf(request: EdgeRequest, { live, earlier }: LiveRelease): Visit {
  const named = cookieValue(request);
  const digests = named.split(".").filter((digest) => digest === live || isEarlier(digest, earlier));
  if (startsVisit(request) || isWorkerScript(request)) {
    const next = unique([live, ...digests])
      .slice(0, 2)
      .join(".");
    return { order: [live], setCookie: next === named ? undefined : cookieFor(next) };
  }
  const [begun = live, ...before] = digests;
  return { order: unique([begun, live, ...before.slice(0, 1)]), setCookie: undefined };
}

/** By the digest in full alone: what a cookie says becomes part of a path. */
function isEarlier(digest: string, earlier: readonly string[]): boolean {
  return /^[0-9a-f]{64}$/.test(digest) && earlier.some((first) => digest.startsWith(first));
}

/** A browser fetches the script of a service worker, to register it or to look for a new one (Service Workers, "Update"). */
export function isWorkerScript({ headers }: EdgeRequest): boolean {
  return headers["service-worker"] === "script";
}

/** `None` and `Partitioned`: a frame on another site has its own visit (CHIPS). */
function cookieFor(digests: string): string {
  return `${cookieName}=${digests}; Path=/; Secure; HttpOnly; SameSite=None; Partitioned`;
}

/** The cookie's value: the digest of the visit's release, and after a dot that of the one that it had before. */
function cookieValue(request: EdgeRequest): string {
  const cookie = cookiesOf(request).find((text) => text.startsWith(`${cookieName}=`));
  return cookie === undefined ? "" : cookie.slice(cookieName.length + 1);
}

function unique(digests: readonly string[]): string[] {
  return digests.filter((digest, index) => digests.indexOf(digest) === index);
}

const frames = ["iframe", "frame", "embed", "object"];

/**
 * Whether a person opens a page: at the top, or in a frame of another site. A frame of the game itself belongs to the
 * visit. Browsers say so in Sec-Fetch headers (Fetch Metadata Request Headers, section 2.1); where one does not, its
 * Accept header tells.
 */
export function startsVisit({ headers }: EdgeRequest): boolean {
  const { "sec-fetch-dest": destination, "sec-fetch-site": site, accept } = headers;
  if (destination === undefined) return accept?.includes("text/html") === true;
  return destination === "document" || (frames.includes(destination) && site !== "same-origin");
}
