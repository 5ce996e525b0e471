import { cookieOf, cookiesOf, type EdgeRequest } from "../request.ts";

/*
 * Data that browsers keep of an origin: storage, caches, cookies and service workers. They go after a takedown, and if the
 * origin had another owner: whoever has it now must neither read them nor be kept out by them
 * (docs/decisions/0024-a-game-has-its-own-origin.md#what-browsers-keep-of-a-games-origin).
 */

const markName = "__Host-svc-owned-since";
/** 400 days; browsers keep no cookie longer (RFC 6265bis, section 5.5). */
const longestSeconds = 34_560_000;

type Headers = Readonly<Record<string, string>>;

/** Removes everything that the browser keeps of the origin (Clear Site Data, section 3.1). */
export const clearEverything: Headers = { "clear-site-data": '"cache", "cookies", "storage"' };

/** Removes all but cookies: Chromium would remove, too, those that the same response sets. */
export const clearAllButCookies: Headers = { "clear-site-data": '"cache", "storage"' };

/**
 * Whether the browser may still keep something of an earlier owner.
 *
 * @param ownedSince what names the time since which the origin has its owner; undefined if it never had another
 */
export function keepsEarlierOwner(request: EdgeRequest, ownedSince: string | undefined): boolean {
  return ownedSince !== undefined && ownerMark(request) !== ownedSince;
}

/** Whose data the browser keeps, as its cookie says; empty without one. */
export function ownerMark(request: EdgeRequest): string {
  return cookieOf(request, markName);
}

/** Set-Cookie to note that nothing of an earlier owner is left, and to remove the cookies that were sent. */
export function cookiesOfNewOwner(request: EdgeRequest, ownedSince: string): string[] {
  const names = cookiesOf(request).map((cookie) => cookie.replace(/=.*/, ""));
  const removed = names.filter(
    (name, index) => name !== "" && !name.startsWith("__Host-svc-") && names.indexOf(name) === index,
  );
  return [markCookie(ownedSince), ...removed.map((name) => `${name}=; Path=/; Max-Age=0`)];
}

/** The Cookie header of a browser with this mark. */
export function ownerCookie(ownedSince: string): string {
  return `${markName}=${ownedSince}`;
}

/** A mark that is renewed with every document, so that it outlives what the game stores. */
export function markCookie(ownedSince: string): string {
  return `${ownerCookie(ownedSince)}; Path=/; Max-Age=${longestSeconds}; Secure; HttpOnly; SameSite=None; Partitioned`;
}
