import type * as z from "zod/mini";
import type * as contract from "../contract/webhooks.ts";
import type { StoredDelivery } from "./webhook.ts";
import type { ShownWebhook } from "./webhooks.ts";

/*
 * Views (see views.ts) of webhooks.
 */

const shownEnd = 4;

export function webhookView({ id, url, isOff, createdAt, failure }: ShownWebhook): z.infer<typeof contract.webhook> {
  return {
    id,
    url: `${new URL(url).origin}/…${url.slice(-shownEnd)}`,
    enabled: !isOff && failure?.offAt === undefined,
    failing_since: failure?.since ?? null,
    switched_off_at: failure?.offAt ?? null,
    created_at: createdAt,
  };
}

export function deliveryView(delivery: StoredDelivery): z.infer<typeof contract.delivery> {
  const { id, type, at, status, attempts } = delivery;
  return {
    ...{ id, type, at, status, attempts },
    attempted_at: delivery.attemptedAt ?? null,
    next_at: status === "waiting" ? (delivery.nextAt ?? null) : null,
    response_status: delivery.responseStatus ?? null,
    error: delivery.error ?? null,
  };
}
