import { randomBytes } from "node:crypto";
import { limits } from "../../../contract/api/limits.ts";
import { slugOfKey } from "../../../edge/project/pointer.ts";
import { pointerNow } from "../../../functions/domain/projects/pointers.ts";
import { ServiceError } from "../../../functions/domain/service-error.ts";
import { downloadUrl, type Upload, uploadUrl } from "../../../functions/files/store.ts";
import { epochSeconds } from "../../../functions/table/attributes.ts";
import { readProject } from "../../../functions/table/projects/project-items.ts";
import { readItems } from "../../../functions/table/read.ts";
import { linkDigest, savesLinkKey, sealedKey } from "./keys.ts";
import { insertLink, spendLink } from "./saves-link-items.ts";

/*
 * Saved games that a player sends from one device to another: docs/decisions/0081-saves-that-travel.md#by-a-link.
 */

/** How long a sender may take to begin, and a receiver. */
const uploadSeconds = 900;
const downloadSeconds = 60;

interface MadeLink {
  /** 128 random bits, of which the store has the SHA-256 alone. */
  readonly id: string;
  readonly expiresAt: Date;
  readonly upload: Upload;
}

/**
 * Makes a link, for exactly these bytes.
 *
 * @param site the key of a game or a preview (edge/project/pointer.ts)
 * @throws ServiceError `saves_unavailable`, `saves_link_limit_reached`
 */
export async function makeLink(
  site: string,
  sealed: { readonly sizeBytes: number; readonly sha256: string },
  now: Date,
): Promise<MadeLink> {
  const slug = await playedSlug(site, now);
  const id = randomBytes(16).toString("base64url");
  const digest = linkDigest(id);
  const expiresAt = new Date((epochSeconds(now) + limits.savesLinkSeconds) * 1_000);
  const link = { sizeBytes: sealed.sizeBytes, ttl: epochSeconds(expiresAt) };
  if (!(await insertLink({ slug, site, digest }, link, now)))
    throw new ServiceError("saves_link_limit_reached", { retryAfterSeconds: secondsOfHour(now) });
  const object = { key: sealedKey(slug, digest), size: sealed.sizeBytes, sha256: sealed.sha256 };
  return { id, expiresAt, upload: uploadUrl(object, uploadSeconds, now) };
}

/**
 * Spends a link.
 *
 * @returns the URL of what is sealed, at the store's host: no origin of a game ever serves it
 * @throws ServiceError `saves_unavailable`, `saves_link_not_found`
 */
export async function takeLink(site: string, id: string, now: Date): Promise<string> {
  const slug = await playedSlug(site, now);
  const digest = linkDigest(id);
  const [link] = await readItems([savesLinkKey(site, digest)]);
  if (link === undefined || !(await spendLink({ slug, site, digest }, link, now)))
    throw new ServiceError("saves_link_not_found");
  const headers = {
    ...{ "content-type": "application/octet-stream", "content-disposition": "attachment" },
    "cache-control": "no-store",
  };
  return downloadUrl({ key: sealedKey(slug, digest), headers, hasOrigin: true }, downloadSeconds, now);
}

/** Seconds until the next hour begins, which has room again. */
function secondsOfHour(now: Date): number {
  return 3_600 - (epochSeconds(now) % 3_600);
}

/** The project of a site that can be played now. @throws ServiceError `saves_unavailable` */
async function playedSlug(site: string, now: Date): Promise<string> {
  const slug = slugOfKey(site);
  const project = await readProject(slug);
  const isOff = project?.switchedOff?.includes("saves");
  if (isOff || pointerNow(site, project, now).kind !== "live") throw new ServiceError("saves_unavailable");
  return slug;
}
