import { limits } from "../../../contract/api/limits.ts";
import type { Amount, Project, TransferOffer } from "../../entities/project.ts";
import { eventWrites } from "../accounts/events.ts";
import { ttlAfter } from "../attributes.ts";
import { newId } from "../ids.ts";
import { keys, ranges } from "../keys.ts";
import { noticeWrite } from "../notices/outbox.ts";
import { readRange, type Slice } from "../read.ts";
import { asRead, change, put, putNew, remove, transact, type Write } from "../transaction.ts";
import { countInAccount, countOutOfAccount } from "./ledger.ts";
import { pointerWrites } from "./pointer-items.ts";
import { previewKeys } from "./preview-items.ts";
import { countLess, countMore, ownerCondition } from "./project-items.ts";

/**
 * Stores to whom a project is offered, for both, with the owner's event. The other account has a notice and no event: nobody writes
 * into the history of somebody else.
 */
export async function setOffer(project: Project, offer: TransferOffer, now: Date): Promise<void> {
  const { slug, ownerKey } = project;
  const owned = ownerCondition(ownerKey);
  await transact({
    project: change(keys.project(slug), "SET transfer = :offer", {
      ...owned,
      values: { ...owned.values, ":offer": offer },
    }),
    before: project.transfer?.toKey === offer.toKey ? undefined : receivedNoMore(project),
    received: put(keys.offer(offer.toKey, slug), { slug, ttl: ttlAfter(now, limits.transferOfferDays) }),
    event: eventWrites(ownerKey, now, { type: "project_offered", project: slug }),
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
    project: change(keys.project(project.slug), "REMOVE transfer", ownerCondition(project.ownerKey)),
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

function receivedNoMore({ slug, transfer }: Project): Write | undefined {
  return transfer && remove(keys.offer(transfer.toKey, slug));
}

/** The projects that are, or were lately, offered to an account, in the order of their slugs. */
export async function readReceivedOffers(accountKey: string, slice: Slice) {
  return await readRange(ranges.offers(accountKey), slice);
}

/**
 * Gives a project to the account that it is offered to: owner, both counts, both ledgers, both ownerships and both events,
 * all or nothing. Nothing happens if the offer is withdrawn, replaced or expired by now.
 */
export async function handOver(
  project: Project,
  { toKey, used }: { readonly toKey: string; readonly used: Amount },
  now: Date,
): Promise<void> {
  const { slug, ownerKey, createdAt, usedBytes, usedObjects, previews } = project;
  const owned = ownerCondition(ownerKey);
  const same = asRead({ usedBytes, usedObjects, previews });
  const isCounted = used.objects > 0;
  await transact({
    project: change(
      keys.project(slug),
      "SET ownerKey = :to, ownedSince = :now REMOVE transfer, publishers, previews, showProvenance ADD publisherEpoch :one",
      {
        condition: `${owned.condition} AND ${same.condition} AND transfer.toKey = :to AND transfer.expiresAt > :now`,
        values: { ...owned.values, ...same.values, ":to": toKey, ":now": now.toISOString(), ":one": 1 },
      },
    ),
    received: remove(keys.offer(toKey, slug)),
    account: countMore(toKey),
    ledger: isCounted ? countInAccount(toKey, used) : undefined,
    before: countLess(ownerKey),
    ledgerBefore: isCounted ? countOutOfAccount(ownerKey, used) : undefined,
    ownershipBefore: remove(keys.ownership(ownerKey, slug)),
    ownership: putNew(keys.ownership(toKey, slug), { slug, createdAt }),
    handedOver: eventWrites(ownerKey, now, { type: "project_handed_over", project: slug }),
    receipt: eventWrites(toKey, now, { type: "project_received", project: slug }),
    pointer: pointerWrites([slug], now, previewKeys(project)),
  });
}
