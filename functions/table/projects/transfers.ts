import type { Amount, Project, TransferOffer } from "../../domain/entities.ts";
import { eventWrites } from "../accounts/events.ts";
import { keys } from "../keys.ts";
import { change, putNew, remove, transact } from "../transaction.ts";
import { asCountedCondition, countInAccount, countOutOfAccount } from "./ledger.ts";
import { countLess, countMore, ownerCondition } from "./projects.ts";

/** Stores to whom a project is offered, with the event. */
export async function setOffer({ slug, ownerKey }: Project, offer: TransferOffer, now: Date): Promise<void> {
  const owned = ownerCondition(ownerKey);
  await transact({
    project: change(keys.project(slug), "SET transfer = :offer", {
      ...owned,
      values: { ...owned.values, ":offer": offer },
    }),
    event: eventWrites(ownerKey, now, { type: "project_offered", project: slug }),
  });
}

/** After this the project is offered to nobody. */
export async function removeOffer({ slug, ownerKey }: Project): Promise<void> {
  await transact({ project: change(keys.project(slug), "REMOVE transfer", ownerCondition(ownerKey)) });
}

/**
 * Gives a project to the account that it is offered to: owner, both counts, both ledgers, both ownerships and both events,
 * all or nothing. Nothing happens where the offer is withdrawn, replaced or expired by now.
 */
export async function handOver(
  project: Project,
  { toKey, used }: { readonly toKey: string; readonly used: Amount },
  now: Date,
): Promise<void> {
  const { slug, ownerKey, createdAt } = project;
  const owned = ownerCondition(ownerKey);
  const asCounted = asCountedCondition(project);
  const isCounted = used.objects > 0;
  await transact({
    project: change(keys.project(slug), "SET ownerKey = :to, ownedSince = :now REMOVE transfer", {
      condition: `${owned.condition} AND ${asCounted.condition} AND transfer.toKey = :to AND transfer.expiresAt > :now`,
      values: { ...owned.values, ...asCounted.values, ":to": toKey, ":now": now.toISOString() },
    }),
    account: countMore(toKey),
    ledger: isCounted ? [countInAccount(toKey, used)] : [],
    before: countLess(ownerKey),
    ledgerBefore: isCounted ? [countOutOfAccount(ownerKey, used)] : [],
    ownershipBefore: remove(keys.ownership(ownerKey, slug), { condition: "attribute_exists(PK)" }),
    ownership: putNew(keys.ownership(toKey, slug), { slug, createdAt }),
    handedOver: eventWrites(ownerKey, now, { type: "project_handed_over", project: slug }),
    received: eventWrites(toKey, now, { type: "project_received", project: slug }),
  });
}
