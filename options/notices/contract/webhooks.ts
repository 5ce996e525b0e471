import * as z from "zod/mini";
import { limits } from "../../../contract/api/limits.ts";
import { byAdminsInPerson, slugParams } from "../../../contract/api/projects/projects.ts";
import { about, defineRoute, httpsUrl, pathParameter, time } from "../../../contract/api/route.ts";
import type { ContractOption } from "../../../contract/api/routes.ts";
import { releaseChangeTypes } from "./notice.ts";

/*
 * Webhooks: URLs that are told of changes of a project, as Standard Webhooks says (docs/notices.md#webhooks).
 */

/** Error of a delivery without a response: the name does not resolve, or to an address that is not public; no connection; no certificate. */
export const deliveryError = z.enum([
  "name_not_resolved",
  "address_not_public",
  "connection_failed",
  "certificate_invalid",
  "timed_out",
  "switched_off",
]);

const deliveryType = z.enum([
  ...releaseChangeTypes,
  "release_waiting",
  "release_crashes_more",
  "person_required",
  "person_no_longer_required",
  "test",
]);

/** Of a receiver on this machine: the local service alone takes one, if a setting says so. */
const localUrl = /^http:\/\/localhost(?::\d{1,5})?(?:\/[\x21-\x7e]*)?$/;
const publicUrl = httpsUrl(limits.webhookUrlLength);

const webhookUrl = z.string().check(
  z.maxLength(limits.webhookUrlLength, `must have at most ${limits.webhookUrlLength} characters`),
  z.refine((value) => localUrl.test(value) || publicUrl.safeParse(value).success, "must be an https URL"),
);

export const webhook = z.strictObject({
  id: about("Its id.", z.string(), "00VbbQ1xG7mT0c2LkD5rYw"),
  url: about("Its URL, shortened: whoever knows all of it may write there.", z.string(), "https://discord.com/…x7Qa"),
  enabled: about("Whether it is told of changes.", z.boolean(), true),
  failing_since: about(
    "When its first delivery failed since one arrived last; null: none has.",
    z.nullable(time),
    null,
  ),
  switched_off_at: about(
    "When the service switched it off, because it failed for days; null: it has not.",
    z.nullable(time),
    null,
  ),
  created_at: about("When it was added.", time),
});

export const delivery = z.strictObject({
  id: about("Its id, which the receiver gets as `webhook-id`.", z.string(), "00VbbQ1xG7mT0c2LkD5rYw"),
  type: about("What it tells.", deliveryType, "release_published"),
  at: about("When that happened.", time),
  status: about("waiting: it is sent, or sent again, soon.", z.enum(["waiting", "delivered", "failed"]), "delivered"),
  attempts: about("How often it was sent.", z.int(), 1),
  attempted_at: about("When it was sent last; null: never.", z.nullable(time)),
  next_at: about("When it is sent again; null: it is not.", z.nullable(time), null),
  response_status: about("The HTTP status of the last response; null: none came.", z.nullable(z.int()), 204),
  error: about("Why no response came; null: one came.", z.nullable(deliveryError), null),
});

const webhookParams = z.extend(slugParams, {
  id: about("The webhook's id.", pathParameter, "00VbbQ1xG7mT0c2LkD5rYw"),
});

/** A webhook outlives a token, so none changes it; and its URL is a secret of others. */
const byAdmins = { credential: "idToken", role: "dev", project: "admin" } as const;
const ofWebhooks = { tag: "Webhooks", option: "notices" } as const;

export const createWebhook = defineRoute({
  method: "POST",
  path: "/projects/:slug/webhooks",
  summary: `Add a URL that is told of changes of the project, at most ${limits.webhooksPerProject}`,
  ...ofWebhooks,
  ...byAdminsInPerson,
  personMakesLive: "free",
  params: slugParams,
  body: z.strictObject({
    url: about(
      "An https URL of a named host. A Discord or Slack webhook's gets a message for people.",
      webhookUrl,
      "https://example.com/hooks/star-hopper",
    ),
  }),
  responses: {
    201: z.strictObject({
      webhook: about("As it is listed.", webhook),
      secret: about(
        "The key of its signatures (Standard Webhooks), which is shown only here.",
        z.string(),
        "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
      ),
    }),
  },
  errors: ["webhook_limit_reached"],
});

export const listWebhooks = defineRoute({
  method: "GET",
  otherMethods: ["POST"],
  path: "/projects/:slug/webhooks",
  summary: "The webhooks of a project, in the order in which they were added",
  ...ofWebhooks,
  ...byAdmins,
  params: slugParams,
  responses: { 200: z.strictObject({ webhooks: about("All of them.", z.array(webhook)) }) },
});

export const updateWebhook = defineRoute({
  method: "PATCH",
  otherMethods: ["DELETE"],
  path: "/projects/:slug/webhooks/:id",
  summary: "Switch a webhook off or on, or give it another URL; its secret stays",
  ...ofWebhooks,
  ...byAdminsInPerson,
  personMakesLive: "free",
  params: webhookParams,
  body: z.strictObject({
    url: about("Its new URL.", z.optional(webhookUrl), "https://example.com/hooks/star-hopper"),
    enabled: about("Whether it is told of changes.", z.optional(z.boolean()), true),
  }),
  responses: { 200: webhook },
  errors: ["webhook_not_found"],
});

export const deleteWebhook = defineRoute({
  method: "DELETE",
  path: "/projects/:slug/webhooks/:id",
  summary: "Remove a webhook: what waits for it is not sent",
  ...ofWebhooks,
  ...byAdmins,
  suspended: "allowed",
  personMakesLive: "free",
  params: webhookParams,
  responses: { 204: null },
  errors: ["webhook_not_found"],
});

export const createDelivery = defineRoute({
  method: "POST",
  path: "/projects/:slug/webhooks/:id/deliveries",
  summary: "Send a test to a webhook, or an earlier delivery again, once; it is sent within two minutes",
  details: "If it arrives, a webhook that the service has switched off is on again.",
  ...ofWebhooks,
  ...byAdmins,
  personMakesLive: "free",
  params: webhookParams,
  body: z.strictObject({
    delivery: about(
      "The id of an earlier delivery; a test if it is left out.",
      z.optional(pathParameter),
      "00VbbQ1xG7mT0c2LkD5rYw",
    ),
  }),
  bodyOptional: true,
  responses: { 200: delivery },
  errors: ["webhook_not_found", "delivery_not_found"],
});

export const listDeliveries = defineRoute({
  method: "GET",
  otherMethods: ["POST"],
  path: "/projects/:slug/webhooks/:id/deliveries",
  summary: `The last ${limits.deliveriesPerWebhook} deliveries of a webhook, the newest first; those older than ${limits.deliveryRetentionDays} days are deleted`,
  ...ofWebhooks,
  ...byAdmins,
  params: webhookParams,
  responses: { 200: z.strictObject({ deliveries: about("Newest first.", z.array(delivery)) }) },
  errors: ["webhook_not_found"],
});

declare module "../../../contract/api/routes.ts" {
  interface OptionRoutes {
    readonly createWebhook: typeof createWebhook;
    readonly listWebhooks: typeof listWebhooks;
    readonly updateWebhook: typeof updateWebhook;
    readonly deleteWebhook: typeof deleteWebhook;
    readonly createDelivery: typeof createDelivery;
    readonly listDeliveries: typeof listDeliveries;
  }
}

export const webhookContract = {
  routes: { createWebhook, listWebhooks, updateWebhook, deleteWebhook, createDelivery, listDeliveries },
  records: [],
  schemas: { Webhook: webhook, Delivery: delivery },
} as const satisfies ContractOption;
