import type { ResponseBody } from "../../../contract/client.ts";

export type Webhook = ResponseBody<"listWebhooks">["webhooks"][number];
export type Delivery = ResponseBody<"listDeliveries">["deliveries"][number];
