import { limits } from "../../../contract/api/limits.ts";
import { epochSeconds, ttlAfter } from "../../../functions/table/attributes.ts";
import { sentBytesWrite } from "../../../functions/table/projects/statistics-items.ts";
import { change, putNew, remove, tryTransact } from "../../../functions/table/transaction.ts";
import { savesHourKey, savesLinkKey } from "./keys.ts";
import type { SavesLink } from "./saves-link.ts";

interface LinkOfSite {
  readonly slug: string;
  readonly site: string;
  readonly digest: string;
}

/**
 * Stores a link and counts it in its hour, both or neither.
 *
 * @returns false if the project has no room for it in this hour; then nothing is written
 */
export async function insertLink({ slug, site, digest }: LinkOfSite, link: SavesLink, now: Date): Promise<boolean> {
  const failed = await tryTransact({
    hour: change(
      savesHourKey(slug, now.toISOString().slice(0, 13)),
      "SET #ttl = :ttl ADD links :one, sizeBytes :size",
      {
        condition: "attribute_not_exists(links) OR (links < :links AND sizeBytes <= :room)",
        values: {
          ...{ ":ttl": ttlAfter(now, 1), ":one": 1, ":size": link.sizeBytes, ":links": limits.savesLinksPerHour },
          ":room": limits.savesLinkBytesPerHour - link.sizeBytes,
        },
      },
    ),
    link: putNew(savesLinkKey(site, digest), link),
  });
  return failed === undefined;
}

/**
 * Deletes a link and counts its bytes among those that players got of the project. Of several who try only one succeeds.
 *
 * @returns false if it is not there, or has expired
 */
export async function spendLink(
  { slug, site, digest }: LinkOfSite,
  { sizeBytes }: SavesLink,
  now: Date,
): Promise<boolean> {
  const failed = await tryTransact({
    link: remove(savesLinkKey(site, digest), {
      condition: "attribute_exists(PK) AND #ttl > :now",
      values: { ":now": epochSeconds(now) },
    }),
    sent: sentBytesWrite(slug, sizeBytes, now),
  });
  return failed === undefined;
}
