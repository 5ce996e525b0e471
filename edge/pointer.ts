import type { Project } from "./begin.ts";

export type { Project as Pointer } from "./begin.ts";

/*
 * What the key-value store at the edge has of a project, as text: `<slug>` → its pointer, `<slug>--<20 digits>` → an open
 * release for its developers. The viewer's function reads one with every request, in CloudFront's runtime 2.0 and within a
 * millisecond, so it is a delimited text and no JSON, and this code keeps to syntax that runs there as it is.
 */

/** So many earlier releases can go on being played by visits that began with them. */
export const keptEarlier = 5;
/**
 * The digits that name an earlier release. They are no secret: a cookie has the whole digest, and whoever has it can play
 * that release. They tell an earlier release from a withdrawn one.
 */
const earlierDigits = 6;
/** The digits of a preview's digest that stand in its host name. */
const previewDigits = 20;

/** An open release, played at a host of its own until it expires. */
export interface Preview {
  readonly digest: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/**
 * A project's value in the store: `s` suspended, `u` nothing live, `l.<live digest>.<earlier ones>.<owned since>` live. Slug and
 * value have about 110 bytes, so that the store's 5 MB hold 45,000 projects (CloudFront Developer Guide, "Quotas on key value
 * stores"). `owned since` is empty where the slug never had another owner.
 *
 * @returns undefined where the store must have no such key, as for a deleted project
 */
export function pointerValue(project: Project): string | undefined {
  if (project.kind === "none") return undefined;
  if (project.kind === "takenDown") return "s";
  if (project.kind === "unpublished") return "u";
  const earlier = project.earlier.slice(0, keptEarlier).map((digest) => digest.slice(0, earlierDigits));
  return `l.${project.live}.${earlier.join("")}.${project.ownedSince || ""}`;
}

/**
 * The project of a value.
 *
 * @param value undefined where the store has no such key
 */
export function parsePointer(value: string | undefined): Project {
  if (value === undefined) return { kind: "none" };
  if (value === "s") return { kind: "takenDown" };
  if (value === "u") return { kind: "unpublished" };
  const fields = value.split(".");
  const digits = fields[2] || "";
  const earlier: string[] = [];
  for (let start = 0; start < digits.length; start += earlierDigits)
    earlier.push(digits.slice(start, start + earlierDigits));
  return { kind: "live", live: fields[1] || "", earlier: earlier, ownedSince: fields[3] || undefined };
}

/** The key of a preview. It cannot be guessed from the slug, and no slug contains `--`. */
export function previewKey(slug: string, digest: string): string {
  return `${slug}--${digest.slice(0, previewDigits)}`;
}

/** The project that a key belongs to. */
export function slugOfKey(key: string): string {
  return key.replace(/--.*/, "");
}

/** A preview's value in the store: `p.<digest>.<expiry in epoch seconds>`. */
export function previewValue(preview: Preview): string {
  return `p.${preview.digest}.${preview.expiresAt}`;
}

/**
 * The release that a preview's host plays, which has no earlier ones and no other owner's data.
 *
 * @param value undefined where the store has no such key
 * @param nowSeconds epoch seconds
 */
export function parsePreview(value: string | undefined, nowSeconds: number): Project {
  if (value === undefined) return { kind: "none" };
  const fields = value.split(".");
  const isOpen = fields[0] === "p" && nowSeconds < Number(fields[2]);
  return isOpen ? { kind: "live", live: fields[1] || "", earlier: [] } : { kind: "none" };
}
