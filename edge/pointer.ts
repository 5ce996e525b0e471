import type { Project } from "./begin.ts";

export type { Project as Pointer } from "./begin.ts";

/*
 * What the key-value store at the edge has of a project, as text: `<slug>` → its pointer, `<slug>--<20 digits>` → an open
 * release for its developers. The viewer's function reads one with every request, in CloudFront's runtime 2.0 and within a
 * millisecond, so it is a delimited text and no JSON, and this code keeps to syntax that runs there as it is.
 */

/** So many earlier releases can go on being played by visits that began with them. */
const keptEarlier = 5;
const nameLength = 43;

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
/** The digits of a preview's digest in its host name. */
const previewDigits = 20;

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
}

/**
 * A project's value in the store: `s` suspended, `u` nothing live, `l.<live>.<earlier ones>.<owned since>.<fallback>` live.
 * `owned since` is empty if the slug never had another owner. `fallback` is 1 if requests without a visit may get files of
 * the first earlier release.
 *
 * @returns undefined if the store must have no such key, as for a deleted project
 */
export function pointerValue(project: Project): string | undefined {
  if (project.kind === "none") return undefined;
  if (project.kind === "takenDown") return "s";
  if (project.kind === "unpublished") return "u";
  const { live, earlier, ownedSince, fallback } = project;
  const hasFallback = fallback !== undefined && fallback === earlier[0];
  return `l.${live}.${earlier.slice(0, keptEarlier).join("")}.${ownedSince || ""}.${hasFallback ? "1" : ""}`;
}

/**
 * The project of a value.
 *
 * @param value undefined if the store has no such key
 */
export function parsePointer(value: string | undefined): Project {
  if (value === undefined) return { kind: "none" };
  if (value === "s") return { kind: "takenDown" };
  if (value === "u") return { kind: "unpublished" };
  const fields = value.split(".");
  const names = fields[2] || "";
  const earlier: string[] = [];
  for (let start = 0; start < names.length; start += nameLength) earlier.push(names.slice(start, start + nameLength));
  const fallback = fields[4] ? earlier[0] : undefined;
  return {
    kind: "live",
    live: fields[1] || "",
    earlier: earlier,
    ownedSince: fields[3] || undefined,
    fallback: fallback,
  };
}

/** The key of a preview. It cannot be guessed from the slug, and no slug contains `--`. */
export function previewKey(slug: string, digest: string): string {
  return `${slug}--${digest.slice(0, previewDigits)}`;
}

/** The project that a key belongs to. */
export function slugOfKey(key: string): string {
  return key.replace(/--.*/, "");
}

/** A preview's value in the store: `p.<release>.<expiry in epoch seconds>`. */
export function previewValue(preview: Preview): string {
  return `p.${preview.release}.${preview.expiresAt}`;
}

/**
 * The release that a preview's host plays, which has no earlier ones and no other owner's data.
 *
 * @param value undefined if the store has no such key
 * @param nowSeconds epoch seconds
 */
export function parsePreview(value: string | undefined, nowSeconds: number): Project {
  if (value === undefined) return { kind: "none" };
  const fields = value.split(".");
  const isOpen = fields[0] === "p" && nowSeconds < Number(fields[2]);
  return isOpen ? { kind: "live", live: fields[1] || "", earlier: [] } : { kind: "none" };
}

/** The project or preview of a key. */
export function parseValue(key: string, value: string | undefined, nowSeconds: number): Project {
  return key.includes("--") ? parsePreview(value, nowSeconds) : parsePointer(value);
}
