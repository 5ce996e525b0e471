import { limits } from "../../../contract/api/limits.ts";
import type { PendingNotice, WebhookEvent } from "../../../functions/entities/notice.ts";
import type { Project, Webhook } from "../../../functions/entities/project.ts";
import { deleteItems } from "../../../functions/table/accounts/erase.ts";
import { ttlAfter } from "../../../functions/table/attributes.ts";
import { asRead, itemExists } from "../../../functions/table/expressions.ts";
import { type Key, keys, webhookPartition } from "../../../functions/table/keys.ts";
import { noticeWrite } from "../../../functions/table/outbox.ts";
import { type ProjectChange, projectEventWrites } from "../../../functions/table/projects/history.ts";
import { openCondition } from "../../../functions/table/projects/project-items.ts";
import { readDue, readItems, readManyItems, readRange, readWhole } from "../../../functions/table/read.ts";
import { change, put, remove, transact, tryTransact } from "../../../functions/table/transaction.ts";
import type { AttemptResult, StoredDelivery, WaitingDelivery, WebhookFailure, WebhookMessage } from "./webhook.ts";
import { webhookKeys, webhookRanges } from "./webhook-keys.ts";

/*
 * Webhooks stand in the project's item, so that their number is exact and they go with the project; what is sent to them and whether
 * they fail, in items of their own (docs/decisions/0038-an-outbox-in-the-table.md).
 */

/**
 * Stores the webhooks of a project, provided that they are as they were read.
 *
 * @param removed the one of them that is removed: the project may be suspended then
 * @throws ConflictError
 */
export async function storeWebhooks(
  project: Project,
  webhooks: readonly Webhook[],
  made: ProjectChange,
  removed?: string,
): Promise<void> {
  const { slug, ownerKey, members } = project;
  const open = removed === undefined ? openCondition(project) : asRead({ ownerKey, members, deletedAt: undefined });
  await transact({
    project: change(keys.project(slug), { webhooks }, open, asRead({ webhooks: project.webhooks })),
    event: projectEventWrites(project, made, { type: "project_edited" }),
  });
  if (removed !== undefined) await eraseDeliveries(slug, removed);
}

/** Deletes what is stored of a webhook beside the project. What is left by an interruption expires. */
async function eraseDeliveries(slug: string, webhookId: string): Promise<void> {
  const stored = await readWhole(webhookRanges.deliveries(slug, webhookId), { attributes: ["id"] });
  await deleteItems([
    ...stored.map(({ id }) => webhookKeys.delivery(slug, webhookId, id)),
    webhookKeys.failure(slug, webhookId),
  ]);
}

/** For each webhook that it fails; undefined if its deliveries arrive. */
export async function readFailures(
  slug: string,
  webhooks: readonly Pick<Webhook, "id">[],
): Promise<(WebhookFailure | undefined)[]> {
  return await readItems(webhooks.map(({ id }) => webhookKeys.failure(slug, id)));
}

/** Notes that a webhook's deliveries arrive again, or that a person has switched it on. */
export async function removeFailure(slug: string, webhookId: string): Promise<void> {
  await deleteItems([webhookKeys.failure(slug, webhookId)]);
}

/** For how many days is remembered that a webhook fails: longer than it takes until it is switched off. */
const rememberedDays = 400;

/** Notes that a webhook fails since a time. */
export async function noteFailure(slug: string, webhookId: string, now: Date): Promise<void> {
  const failure = { since: now.toISOString(), ttl: ttlAfter(now, rememberedDays) };
  await tryTransact({ failure: put(webhookKeys.failure(slug, webhookId), failure, asRead({ since: undefined })) });
}

/** Notes that a webhook is switched off, with a notice to each of these accounts, once. */
export async function markSwitchedOff(
  slug: string,
  webhookId: string,
  notices: readonly PendingNotice[],
  now: Date,
): Promise<void> {
  const off = { offAt: now.toISOString(), ttl: ttlAfter(now, rememberedDays) };
  await tryTransact({
    failure: change(webhookKeys.failure(slug, webhookId), off, itemExists, asRead({ offAt: undefined })),
    notices: notices.map(noticeWrite),
  });
}

/** The last deliveries of a webhook, the newest first. */
export async function readDeliveries(slug: string, webhookId: string): Promise<StoredDelivery[]> {
  const slice = { limit: limits.deliveriesPerWebhook };
  const { items } = await readRange(webhookRanges.deliveries(slug, webhookId), slice, { isDescending: true });
  return items;
}

export async function readDelivery(slug: string, webhookId: string, id: string): Promise<StoredDelivery | undefined> {
  const [stored] = await readItems([webhookKeys.delivery(slug, webhookId, id)]);
  return stored;
}

/** Something that waits, with the key under which it is stored. */
type Stored<Item> = Item & Required<Pick<Key, "PK" | "SK">>;
/** What waits to be sent: an event, which is not yet a delivery to each webhook, or a delivery. */
export type Waiting = Stored<WebhookEvent> | Stored<WaitingDelivery>;

/** Whether it is a delivery to one webhook. */
export function isDelivery(waiting: Waiting): waiting is Stored<WaitingDelivery> {
  return "webhookId" in waiting;
}

/** What is due, the earliest first. @param after the last key of the page before */
export async function readDueDeliveries(now: Date, after: string | undefined) {
  return await readDue<Waiting>(webhookPartition, now, { limit: 100, after });
}

/** Deletes what was sent, or must not be sent any more. */
export async function removeWaiting(waiting: readonly Waiting[]): Promise<void> {
  await deleteItems(waiting.map(({ PK, SK }) => ({ PK, SK })));
}

export async function readProjectsOf(waiting: readonly Waiting[]): Promise<Map<string, Project>> {
  const slugs = [...new Set(waiting.map((each) => (isDelivery(each) ? each.slug : each.project)))];
  const projects = await readManyItems(slugs.map(keys.project));
  return new Map(projects.flatMap((project) => (project ? [[project.slug, project]] : [])));
}

/** A message as it is shown, and as it waits to be sent at once. */
function deliveryItems(slug: string, webhookId: string, { id, type, at, data, text }: WebhookMessage, now: Date) {
  const message = { id, type, at, data, text, attempts: 0 };
  const nextAt = now.toISOString();
  const ttl = ttlAfter(now, limits.deliveryRetentionDays);
  const stored: StoredDelivery = { ...message, status: "waiting", nextAt, ttl };
  const waiting: WaitingDelivery = { ...message, slug, webhookId };
  return { stored, waiting, nextAt };
}

/** Stores a message that a person sends to a webhook: a new one, or one of before. */
export async function insertByHand(
  slug: string,
  webhookId: string,
  message: WebhookMessage,
  now: Date,
): Promise<StoredDelivery> {
  const { stored, waiting, nextAt } = deliveryItems(slug, webhookId, message, now);
  await transact({
    stored: put(webhookKeys.delivery(slug, webhookId, message.id), stored),
    waiting: put(webhookKeys.waiting(nextAt, waiting), { ...waiting, byHand: true as const }),
  });
  return stored;
}

/**
 * Makes a delivery to each of these webhooks of an event, all or none, and once.
 *
 * @returns the deliveries; none if another run has made them
 */
export async function insertDeliveries(
  event: Stored<WebhookEvent>,
  webhooks: readonly Webhook[],
  message: WebhookMessage,
  now: Date,
): Promise<Stored<WaitingDelivery>[]> {
  const slug = event.project;
  const all = webhooks.map(({ id }) => ({ id, ...deliveryItems(slug, id, message, now) }));
  const failed = await tryTransact({
    event: remove({ PK: event.PK, SK: event.SK }, itemExists),
    stored: all.map(({ id, stored }) => put(webhookKeys.delivery(slug, id, message.id), stored)),
    waiting: all.map(({ nextAt, waiting }) => put(webhookKeys.waiting(nextAt, waiting), waiting)),
  });
  if (failed) return [];
  await Promise.all(webhooks.map(({ id }) => removeOldDeliveries(slug, id)));
  return all.map(({ nextAt, waiting }) => ({ ...waiting, ...webhookKeys.waiting(nextAt, waiting) }));
}

/** What waits has all that is sent, so that nothing is lost with what is shown no more. */
async function removeOldDeliveries(slug: string, webhookId: string): Promise<void> {
  const range = webhookRanges.deliveries(slug, webhookId);
  const all = await readWhole(range, { isDescending: true, attributes: ["id"] });
  await deleteItems(all.slice(limits.deliveriesPerWebhook).map(({ id }) => webhookKeys.delivery(slug, webhookId, id)));
}

/** Notes the last attempt of a delivery: it has arrived, or is given up. It waits no more. */
export async function endDelivery(
  delivery: Stored<WaitingDelivery>,
  status: "delivered" | "failed",
  result: AttemptResult,
  now: Date,
): Promise<void> {
  await noteAttempt(delivery, { status, ...result }, now);
  await removeWaiting([delivery]);
}

/** Lets a delivery that has failed wait until a time, and notes the attempt. */
export async function retryDelivery(
  waiting: Stored<WaitingDelivery>,
  due: Date,
  result: AttemptResult,
  now: Date,
): Promise<void> {
  const { PK, SK, ...delivery } = waiting;
  const nextAt = due.toISOString();
  const attempts = delivery.attempts + 1;
  await tryTransact({
    before: remove({ PK, SK }, itemExists),
    next: put(webhookKeys.waiting(nextAt, delivery), { ...delivery, attempts }),
  });
  await noteAttempt(waiting, { status: "waiting", nextAt, ...result }, now);
}

async function noteAttempt(
  { slug, webhookId, id, type, at, data, text, attempts }: WaitingDelivery,
  noted: Pick<StoredDelivery, "status" | "nextAt"> & AttemptResult,
  now: Date,
): Promise<void> {
  const key = webhookKeys.delivery(slug, webhookId, id);
  const stored = {
    ...{ id, type, at, data, text, attempts: attempts + 1 },
    ...{ ...noted, attemptedAt: now.toISOString(), ttl: ttlAfter(now, limits.deliveryRetentionDays) },
  };
  // It may be shown no more.
  await tryTransact({ stored: put(key, stored, itemExists) });
}
