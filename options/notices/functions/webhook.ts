import type * as z from "zod/mini";
import type { WebhookEventType } from "../../../functions/entities/notice.ts";
import type { deliveryError } from "../contract/webhooks.ts";

/*
 * Items that are stored for webhooks beside their projects. Types only
 * (docs/decisions/0001-one-table-no-index.md#entities-are-types-below-all-layers).
 */

export type DeliveryError = z.infer<typeof deliveryError>;

/** What an attempt led to: the status of the response, or why none came. */
export type AttemptResult = { readonly responseStatus: number } | { readonly error: DeliveryError };

/** A message to one webhook, without what each attempt adds. It is the same at each attempt. */
export interface WebhookMessage {
  /** The event's id, or that of a test. */
  readonly id: string;
  readonly type: WebhookEventType | "test";
  readonly at: string;
  /** As JSON: the table does not keep the order of members. */
  readonly data: string;
  /** A line for people, for chat services. */
  readonly text: string;
}

/** A message that waits to be sent to one webhook. */
export interface WaitingDelivery extends WebhookMessage {
  readonly slug: string;
  readonly webhookId: string;
  readonly attempts: number;
  /** Set if a person sends it: it is tried once. */
  readonly byHand?: true;
}

/** A message to one webhook as it is shown, and can be sent again. */
export interface StoredDelivery extends WebhookMessage {
  readonly status: "waiting" | "delivered" | "failed";
  readonly attempts: number;
  readonly attemptedAt?: string;
  readonly nextAt?: string;
  /** Of the last attempt. */
  readonly responseStatus?: number;
  readonly error?: DeliveryError;
  /** Epoch seconds after which DynamoDB may delete it. */
  readonly ttl: number;
}

/** That a webhook fails. There is none while its deliveries arrive. */
export interface WebhookFailure {
  /** When its first delivery failed since one arrived last. */
  readonly since: string;
  /** When it was switched off for that. */
  readonly offAt?: string;
  /** Epoch seconds after which DynamoDB may delete it: it is told of changes again then. */
  readonly ttl: number;
}
