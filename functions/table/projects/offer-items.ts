import { limits } from "../../../contract/api/limits.ts";
import type { Project, TransferOffer } from "../../entities/project.ts";
import { ttlAfter } from "../attributes.ts";
import { newId } from "../ids.ts";
import { keys, ranges } from "../keys.ts";
import { noticeWrite } from "../notices/outbox.ts";
import { readRange, type Slice } from "../read.ts";
import { change, put, remove, transact, type Write } from "../transaction.ts";
import { projectEventWrites } from "./history.ts";
import { openCondition } from "./project-items.ts";

/**
 * Stores to whom a project is offered, for both, with the owner's event. The other account has a notice and no event: nobody writes
 * into the history of somebody else.
 */
export async function setOffer(project: Project, offer: TransferOffer, now: Date): Promise<void> {
  const { slug, ownerKey } = project;
  const owned = openCondition(project);
  await transact({
    project: change(keys.project(slug), "SET transfer = :offer", {
      ...owned,
      values: { ...owned.values, ":offer": offer },
    }),
    before: project.transfer?.toKey === offer.toKey ? undefined : receivedNoMore(project),
    received: put(keys.offer(offer.toKey, slug), { slug, ttl: ttlAfter(now, limits.transferOfferDays) }),
    event: projectEventWrites(project, { by: ownerKey, token: undefined, now }, { type: "project_offered" }),
    notice: noticeWrite({
      id: newId(now),
      type: "offer_received",
      at: now.toISOString(),
      accountKey: offer.toKey,
      project: slug,
      expiresAt: offer.expiresAt,
    }),
  });
}

/** After this the owner offers the project to nobody. */
export async function removeOffer(project: Project): Promise<void> {
  await transact({
    project: change(keys.project(project.slug), "REMOVE transfer", openCondition(project)),
    received: receivedNoMore(project),
  });
}

/** The same by the account that it is offered to: nothing happens if it is offered to another one by now. */
export async function removeReceivedOffer(project: Project): Promise<void> {
  await transact({
    project: change(keys.project(project.slug), "REMOVE transfer", {
      condition: "transfer.toKey = :to",
      values: { ":to": project.transfer?.toKey },
    }),
    received: receivedNoMore(project),
  });
}

export function receivedNoMore({ slug, transfer }: Project): Write | undefined {
  return transfer && remove(keys.offer(transfer.toKey, slug));
}

/** The projects that are, or were lately, offered to an account, in the order of their slugs. */
export async function readReceivedOffers(accountKey: string, slice: Slice) {
  return await readRange(ranges.offers(accountKey), slice);
}
