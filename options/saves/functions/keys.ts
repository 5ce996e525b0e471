import { createHash } from "node:crypto";
import { passingKey } from "../../../functions/files/object-keys.ts";
import type { Key } from "../../../functions/table/keys.ts";
import type { SavesHour, SavesLink } from "./saves-link.ts";

/** The option's folder among the objects that are needed for a day. */
export const savesFolder = "saves";

/** Partition of its own, not the project's: functions that anybody may call write it and nothing of a project. */
const partition = (site: string) => `SAVES#${site}`;

/** What the store keeps of a link's id: whoever reads items or objects takes nothing with it. */
export function linkDigest(id: string): string {
  return createHash("sha256").update(id).digest("hex");
}

/** A link of a game or a preview, each of which takes its own alone. */
export function savesLinkKey(site: string, digest: string): Key<SavesLink> {
  return { PK: partition(site), SK: `LINK#${digest}` };
}

/** What was sent of a project, its previews too, in an hour such as `2026-11-25T13`. */
export function savesHourKey(slug: string, hour: string): Key<SavesHour> {
  return { PK: partition(slug), SK: `HOUR#${hour}` };
}

export function sealedKey(slug: string, digest: string): string {
  return passingKey(savesFolder, slug, digest);
}
