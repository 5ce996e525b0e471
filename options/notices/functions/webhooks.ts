import { limits } from "../../../contract/api/limits.ts";
import { changeBy, type ProjectActor } from "../../../functions/domain/authentication.ts";
import { ServiceError } from "../../../functions/domain/service-error.ts";
import type { Project, Webhook } from "../../../functions/entities/project.ts";
import * as environment from "../../../functions/environment.ts";
import { newId } from "../../../functions/table/ids.ts";
import { newSigningKey, secretOf } from "./signature.ts";
import type { StoredDelivery, WebhookFailure } from "./webhook.ts";
import {
  insertByHand,
  readDeliveries,
  readDelivery,
  readFailures,
  removeFailure,
  storeWebhooks,
} from "./webhook-items.ts";
import { testMessage } from "./webhook-message.ts";

/** A webhook, and that it fails. */
export interface ShownWebhook extends Webhook {
  readonly failure: WebhookFailure | undefined;
}

/** The webhooks of a project, in the order in which they were added. */
export async function listWebhooks({ slug, webhooks = [] }: Project): Promise<ShownWebhook[]> {
  const failures = await readFailures(slug, webhooks);
  return webhooks.map((webhook, index) => ({ ...webhook, failure: failures[index] }));
}

/**
 * Adds a webhook to a project.
 *
 * @returns the webhook, and its secret
 * @throws ServiceError `webhook_limit_reached`; `validation_failed` for a URL of this machine, if no setting allows it
 */
export async function createWebhook(actor: ProjectActor, url: string, now: Date) {
  const { project } = actor;
  const { webhooks = [] } = project;
  assertReachable(url);
  if (webhooks.length >= limits.webhooksPerProject) throw new ServiceError("webhook_limit_reached");
  const key = newSigningKey();
  const webhook = { id: newId(now), url, key, createdAt: now.toISOString() };
  await storeWebhooks(project, [...webhooks, webhook], changeBy(actor, now));
  return { webhook: { ...webhook, failure: undefined }, secret: secretOf(key) };
}

/** @throws ServiceError `validation_failed` */
function assertReachable(url: string): void {
  if (url.startsWith("http:") && !environment.allowsLocalWebhooks())
    throw new ServiceError("validation_failed", { errors: [{ pointer: "/url", detail: "must be an https URL" }] });
}

interface WebhookEdit {
  readonly url?: string | undefined;
  readonly enabled?: boolean | undefined;
}

/**
 * Changes a webhook. One that is switched on has no failures.
 *
 * @throws ServiceError `webhook_not_found`; `validation_failed` as for {@link createWebhook}
 */
export async function updateWebhook(
  actor: ProjectActor,
  id: string,
  { url, enabled }: WebhookEdit,
  now: Date,
): Promise<ShownWebhook> {
  const { project } = actor;
  const stored = webhookOf(project, id);
  if (url !== undefined) assertReachable(url);
  const webhook = {
    ...stored,
    url: url ?? stored.url,
    isOff: enabled === undefined ? Boolean(stored.isOff) : !enabled,
  };
  const webhooks = (project.webhooks ?? []).map((each) => (each.id === id ? webhook : each));
  // The same request again changes nothing.
  if (webhook.url !== stored.url || webhook.isOff !== Boolean(stored.isOff))
    await storeWebhooks(project, webhooks, changeBy(actor, now));
  if (enabled) await removeFailure(project.slug, id);
  const [failure] = enabled ? [] : await readFailures(project.slug, [webhook]);
  return { ...webhook, failure };
}

/** @throws ServiceError `webhook_not_found` */
function webhookOf({ webhooks = [] }: Project, id: string): Webhook {
  const webhook = webhooks.find((each) => each.id === id);
  if (webhook === undefined) throw new ServiceError("webhook_not_found");
  return webhook;
}

/**
 * Removes a webhook, with its deliveries. What waits for it is not sent.
 *
 * @throws ServiceError `webhook_not_found`
 */
export async function deleteWebhook(actor: ProjectActor, id: string, now: Date): Promise<void> {
  const { project } = actor;
  webhookOf(project, id);
  const left = (project.webhooks ?? []).filter((each) => each.id !== id);
  await storeWebhooks(project, left, changeBy(actor, now), id);
}

/**
 * The last deliveries of a webhook, the newest first.
 *
 * @throws ServiceError `webhook_not_found`
 */
export async function listDeliveries(project: Project, id: string): Promise<StoredDelivery[]> {
  return await readDeliveries(project.slug, webhookOf(project, id).id);
}

/**
 * Sends a test to a webhook, or an earlier delivery again, once.
 *
 * @throws ServiceError `webhook_not_found`, `delivery_not_found`
 */
export async function createDelivery(
  project: Project,
  id: string,
  deliveryId: string | undefined,
  now: Date,
): Promise<StoredDelivery> {
  const { slug } = project;
  const webhook = webhookOf(project, id);
  const message =
    deliveryId === undefined ? testMessage(project, now) : await readDelivery(slug, webhook.id, deliveryId);
  if (message === undefined) throw new ServiceError("delivery_not_found");
  return await insertByHand(slug, webhook.id, message, now);
}
