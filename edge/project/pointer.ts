import { deltaMarkLength, type Places } from "../cache/place.ts";
import { escaped } from "../pages/pages.ts";
import type { Project } from "../pages/respond-early.ts";
import type { Site } from "./host.ts";

export type { Project as Pointer } from "../pages/respond-early.ts";

/*
 * Values of a project in the key-value store at the edge, as text: `<slug>` → its pointer, `<slug>--<20 digits>` → a preview:
 * an open release for its developers. The viewer's function reads one with every request, in CloudFront's runtime 2.0
 * and within a millisecond, so it is a delimited text and no JSON, and this code keeps to syntax that runs there as it is.
 */

/** Earlier releases that visits can go on playing if they began with them. */
export const keptEarlier = 5;
const nameLength = 43;

/** A value of the store has 1 KB (CloudFront Developer Guide, "Quotas on key value stores"). */
export const pointerBytes = 1_000;

/**
 * The name by which the edge knows a release, in pointers, cookies and the cache's keys: the SHA-256 of its manifest in
 * base64url. The whole digest, so that nobody can forge a manifest for a part of one.
 */
export function releaseName(digest: string): string {
  return Buffer.from(digest, "hex").toString("base64url");
}

export function digestOf(name: string): string {
  return Buffer.from(name, "base64url").toString("hex");
}
/** The digits after the slug in a preview's host name. */
const previewDigits = 20;
/** The same for visits on a preview that was replaced; fewer, because there may be ten of a game. */
const keptEarlierOfPreview = 2;

/**
 * The store has this key if it may lack the pointers of some games. Without it a game without a pointer does not exist, so
 * requests for made-up names cost no more than the viewer's function.
 */
export const overflowKey = "+";

/** An open release, played at a host of its own until it expires. */
export interface Preview {
  /** Its name. */
  readonly release: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
  /** The names of those that it showed before, the last one first. */
  readonly earlier?: readonly string[];
}

/**
 * A project's value in the store: `s` suspended or taken down, `u` nothing live, with the HTML that says why,
 * `l.<live>.<earlier ones>.<owned since>.<fallback>.<era><counts><deltas>.<change>.<change>…` live. `owned since` is empty if the slug never
 * had another owner. `fallback` is 1 if requests without a visit may get files of the first earlier release. What comes after it is
 * `Places`; each count is a character, one for each earlier release, and each delta's mark six. The `l`, as the `p` of a preview, is followed
 * by the first letter of each option that the project does without.
 *
 * @param marks these letters
 * @returns undefined if the store must have no such key, as for a deleted project
 */
export function pointerValue(project: Project, marks = ""): string | undefined {
  if (project.kind === "none") return undefined;
  if (project.kind === "takenDown") return "s";
  if (project.kind === "unpublished") return `u${project.text || ""}`;
  const { live, earlier, ownedSince, fallback, places } = project;
  const hasFallback = fallback !== undefined && fallback === earlier[0];
  const names = earlier.slice(0, keptEarlier).join("");
  return `l${marks}.${live}.${names}.${ownedSince || ""}.${hasFallback ? "1" : ""}${placesText(places)}`;
}

/**
 * The pointer of a project of which nobody can play anything now. Whoever asks for the game reads its name, and the reason.
 *
 * @param reason HTML that goes on after the name
 */
export function unpublishedPointer(name: string, reason: string): Project {
  return { kind: "unpublished", text: `<bdi>${escaped(name)}</bdi> ${reason}` };
}

const eraLength = 8;
/** The character of the count 0; those of releases of another era are before it. */
const zeroCount = 48;

function placesText(places: Places | undefined): string {
  if (places === undefined) return "";
  const counts = places.counts
    .slice(0, keptEarlier)
    .map((count) => String.fromCharCode(zeroCount + Math.max(count, -1)));
  return `.${places.era}${[[...counts, ...places.deltas].join(""), ...places.changes].join(".")}`;
}

/**
 * The project of a value.
 *
 * @param value undefined if the store has no such key
 */
export function parsePointer(value: string | undefined): Project {
  if (value === undefined) return { kind: "none" };
  if (value === "s") return { kind: "takenDown" };
  if (value[0] === "u") return { kind: "unpublished", text: value.slice(1) };
  const fields = value.split(".");
  const earlier = namesOf(fields[2] || "");
  const fallback = fields[4] ? earlier[0] : undefined;
  return {
    kind: "live",
    live: fields[1] || "",
    earlier: earlier,
    ownedSince: fields[3] || undefined,
    fallback: fallback,
    places: fields[5] ? placesOf(fields[5], earlier.length, fields.slice(6)) : undefined,
  };
}

function placesOf(first: string, earlier: number, changes: readonly string[]): Places {
  const end = eraLength + earlier;
  return {
    era: first.slice(0, eraLength),
    changes: changes,
    counts: slices(first.slice(eraLength, end), 1).map((count) => count.charCodeAt(0) - zeroCount),
    deltas: slices(first.slice(end), deltaMarkLength),
  };
}

function slices(text: string, length: number): string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length; start += length) parts.push(text.slice(start, start + length));
  return parts;
}

function namesOf(text: string): string[] {
  return slices(text, nameLength);
}

/**
 * The key of a preview. It cannot be guessed from the slug, and no slug contains `--`.
 *
 * @param digits hexadecimal, of which only the first 20 count
 */
export function previewKey(slug: string, digits: string): string {
  return `${slug}--${digits.slice(0, previewDigits)}`;
}

/** The key of the project or preview that a host names; empty if it names none. */
export function keyOfSite(site: Site | undefined): string {
  if (site === undefined || site.kind === "none") return "";
  return site.kind === "preview" ? previewKey(site.slug, site.digits) : site.slug;
}

/** The project that a key belongs to. */
export function slugOfKey(key: string): string {
  return key.replace(/--.*/, "");
}

/** A preview's value in the store: `p.<release>.<expiry in epoch seconds>`, with marks as above, and `.<earlier ones>` if it showed others before. */
export function previewValue({ release, expiresAt, earlier = [] }: Preview, marks = ""): string {
  const earlierNames = earlier.slice(0, keptEarlierOfPreview).join("");
  return `p${marks}.${release}.${expiresAt}${earlierNames && `.${earlierNames}`}`;
}

/**
 * The release that a preview's host plays, and those that it showed before. It has no other owner's data.
 *
 * @param value undefined if the store has no such key
 * @param nowSeconds epoch seconds
 */
export function parsePreview(value: string | undefined, nowSeconds: number): Project {
  const text = value || "";
  const fields = text.split(".");
  const isOpen = text[0] === "p" && nowSeconds < Number(fields[2]);
  if (!isOpen) return { kind: "none" };
  const earlier = namesOf(fields[3] || "");
  return { kind: "live", live: fields[1] || "", earlier: earlier, fallback: earlier[0] };
}

/** The first letters of the options that the project of a value does without. */
export function marksOf(value: string | undefined): string {
  return (value || "").split(".")[0]?.slice(1) || "";
}

/** The project or preview of a key. */
export function parseValue(key: string, value: string | undefined, nowSeconds: number): Project {
  return key.includes("--") ? parsePreview(value, nowSeconds) : parsePointer(value);
}
