import { cookieOf, type EdgeRequest } from "../request.ts";

/*
 * One release for one visit. The response to a document names the live release in a cookie, and everything that the page
 * then asks for comes from that release, also after another one went live (docs/decisions/0045-visits-and-workers.md).
 */

/** `__Host-`: only this very host can set it, so that no other game can choose a visitor's release. */
const cookieName = "__Host-svc-release";

/** Releases that a project's pointer tells, by their names (edge/project/pointer.ts). */
export interface LiveRelease {
  readonly live: string;
  /** Releases that were live before and that are not withdrawn: a visit that began with one continues with it. */
  readonly earlier: readonly string[];
  /**
   * The earlier release that the live one followed. A request without a visit gets from it what the live release lacks. None
   * after a rollback, which takes files away.
   */
  readonly fallback?: string | undefined;
}

/**
 * Releases that a request may be served from, in this order. A document and a service worker's script come only from the live
 * release, so a file that it removed is gone, and both move the visit there: what a worker installs must be of the release
 * of its script. Everything else comes from the release with which the visit began; a file that is not there is looked for
 * in the live release and in the one that the visit had before. Browsers that keep no cookies have no visit: the live
 * release and the one that it followed stand for it, so a page that was opened before an update finds its files.
 */
export function chooseReleases(request: EdgeRequest, release: LiveRelease): readonly string[] {
  const { live, fallback } = release;
  if (startsVisit(request) || isWorkerScript(request)) return [live];
  const releases = knownOf(request, release);
  const second = releases.length === 0 ? fallback : releases[1];
  return unique([releases[0] || live, live].concat(second || []));
}

/**
 * Set-Cookie, if the visit continues with another release.
 *
 * @param request for a document or a service worker's script
 */
export function nextVisit(request: EdgeRequest, release: LiveRelease): string | undefined {
  const next = unique([release.live, ...knownOf(request, release)])
    .slice(0, 2)
    .join(".");
  return next === cookieValue(request) ? undefined : cookieFor(next);
}

/** The releases of a visit that can still be played. */
function knownOf(request: EdgeRequest, { live, earlier }: LiveRelease): string[] {
  return cookieValue(request)
    .split(".")
    .filter((name) => name === live || earlier.includes(name));
}

/** A browser fetches the script of a service worker, to register it or to look for a new one (Service Workers, "Update"). */
export function isWorkerScript({ headers }: EdgeRequest): boolean {
  return headers["service-worker"] === "script";
}

/** `None` and `Partitioned`: a frame on another site has its own visit (CHIPS). */
function cookieFor(releases: string): string {
  return `${cookieName}=${releases}; Path=/; Secure; HttpOnly; SameSite=None; Partitioned`;
}

/** The Cookie header of a visitor whose cookie has this value. */
export function visitCookie(value: string): string {
  return `${cookieName}=${value}`;
}

/** The cookie's value: the visit's release, and after a dot the one that it had before. */
export function cookieValue(request: EdgeRequest): string {
  return cookieOf(request, cookieName);
}

function unique(releases: readonly string[]): string[] {
  return releases.filter((name, index) => releases.indexOf(name) === index);
}

const frames = /^(i?frame|embed|object)$/;

/**
 * Whether a person opens a page: at the top, or in a frame of another site. A frame of the game itself belongs to the
 * visit. Browsers say so in Sec-Fetch headers (Fetch Metadata Request Headers, section 2.1); if one does not, its
 * Accept header tells. Also if a service worker passes the page's request on.
 */
export function startsVisit(request: EdgeRequest): boolean {
  const { "sec-fetch-dest": destination, "sec-fetch-site": site, accept } = request.headers;
  if (destination === undefined) return (accept || "").includes("text/html");
  if (isWithoutDestination(request)) return isPageOfWorker(request);
  return destination === "document" || (frames.test(destination) && site !== "same-origin");
}

/** A script fetches it: of a page, or a worker, which the browser does not say. */
export function isWithoutDestination({ headers }: EdgeRequest): boolean {
  return headers["sec-fetch-dest"] === "empty";
}

/**
 * Whether a service worker fetches a page that it was asked for (docs/decisions/0045-visits-and-workers.md). If it passes the
 * request on, that still has the mode of a page (Chromium, WebKit), or what only a page's request says (Chromium, Firefox). If it
 * makes a new one, nothing but the names tells: a script, which no page is, fetches a page.
 */
function isPageOfWorker({ headers, target }: EdgeRequest): boolean {
  const { accept, referer, "sec-fetch-mode": mode, "upgrade-insecure-requests": upgrade } = headers;
  if (mode === "navigate" || upgrade !== undefined) return true;
  return /\.[cm]?js(\?|$)/.test(referer || "") && /text\/html|(\/|\.html?)(\?|$)/.test(`${accept} ${target}`);
}
