import { type Key, type KeyRange, webhookPartition } from "../../../functions/table/keys.ts";
import type { StoredDelivery, WaitingDelivery, WebhookFailure } from "./webhook.ts";

const partition = (slug: string) => `WEBHOOK#${slug}`;
const deliveryPrefix = (webhookId: string) => `DELIVERY#${webhookId}#`;

/** Keys outside the project's items: the function that sends to strangers' URLs may change these and nothing of a project. */
export const webhookKeys = {
  delivery: (slug: string, webhookId: string, id: string): Key<StoredDelivery> => ({
    PK: partition(slug),
    SK: deliveryPrefix(webhookId) + id,
  }),
  failure: (slug: string, webhookId: string): Key<WebhookFailure> => ({
    PK: partition(slug),
    SK: `FAILURE#${webhookId}`,
  }),
  /** @param due from when on it is sent */
  waiting: (due: string, { webhookId, id }: Pick<WaitingDelivery, "webhookId" | "id">): Key<WaitingDelivery> => ({
    PK: webhookPartition,
    SK: `${due}#${webhookId}#${id}`,
  }),
};

export const webhookRanges = {
  deliveries: (slug: string, webhookId: string): KeyRange<StoredDelivery> => ({
    PK: partition(slug),
    prefix: deliveryPrefix(webhookId),
  }),
};
