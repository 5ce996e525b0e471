import { useEffect } from "preact/hooks";
import { eventsInWords } from "../../../contract/api/accounts/event-words.ts";
import { limits } from "../../../contract/api/limits.ts";
import { useDashboard } from "../../../dashboard/src/dashboard.ts";
import { counted } from "../../../dashboard/src/format.ts";
import { Button, RowButton } from "../../../dashboard/src/parts/button.tsx";
import { useSubmission } from "../../../dashboard/src/parts/form.ts";
import { idOf, List, useList } from "../../../dashboard/src/parts/list.tsx";
import { Notice, Problem } from "../../../dashboard/src/parts/notice.tsx";
import { Time, When } from "../../../dashboard/src/parts/time.tsx";
import type { Delivery, Webhook } from "./resources.ts";

interface DeliveriesProps {
  readonly slug: string;
  readonly webhook: Webhook;
  readonly onChanged: () => Promise<void>;
  readonly onClose: () => void;
}

/** Between two looks at deliveries that wait. */
const pauseMilliseconds = 3_000;

/** The last deliveries of a webhook, and what can be done with it. */
export function Deliveries({ slug, webhook, onChanged, onClose }: DeliveriesProps) {
  const { api } = useDashboard();
  const { id, enabled, switched_off_at: switchedOff } = webhook;
  const params = { slug, id };
  const submission = useSubmission();
  const list = useList(`deliveries to ${id}`, async () => {
    const { deliveries } = await api.call("GET /projects/:slug/webhooks/:id/deliveries", { params });
    return { items: deliveries, nextCursor: null };
  });
  const reload = async () => {
    await Promise.all([list.reload(), onChanged()]);
  };
  useEffect(() => {
    if (!list.items?.some(isUnderWay)) return;
    const timer = setTimeout(reload, pauseMilliseconds);
    return () => clearTimeout(timer);
  }, [list.items]);
  const send = (delivery?: string) =>
    submission.run(async () => {
      await api.call("POST /projects/:slug/webhooks/:id/deliveries", { params, body: { delivery } });
      await list.reload();
    });
  const change = () =>
    submission.run(async () => {
      await api.call("PATCH /projects/:slug/webhooks/:id", { params, body: { enabled: !enabled } });
      await onChanged();
    });
  return (
    <>
      {switchedOff && (
        <Notice kind="note">
          Nothing has arrived for {limits.webhookFailingDays} days, so it is switched off. Send a test: if it arrives,
          the webhook is on again.
        </Notice>
      )}
      <Problem of={submission} />
      <List
        list={list}
        label="Deliveries"
        keyOf={idOf}
        empty={<p class="empty hint">Nothing was sent yet. Send a test to see that it arrives.</p>}
        row={(delivery) => <DeliveryRow delivery={delivery} onSend={() => send(delivery.id)} />}
      />
      <div class="actions">
        <Button onClick={onClose}>Close</Button>
        <Button busy={submission.busy} onClick={change}>
          {enabled ? "Switch off" : "Switch on"}
        </Button>
        <Button kind="primary" busy={submission.busy} onClick={() => send()}>
          Send a test
        </Button>
      </div>
    </>
  );
}

/** Whether it is sent any moment: not if it waits because it failed. */
function isUnderWay({ status, attempts }: Delivery): boolean {
  return status === "waiting" && attempts === 0;
}

const titles: Readonly<Record<Delivery["type"], string>> = {
  ...eventsInWords,
  release_crashes_more: "Release crashes more often",
  test: "Test",
};

function DeliveryRow({ delivery, onSend }: { delivery: Delivery; onSend: () => void }) {
  const { type, at, status, attempts, next_at: next } = delivery;
  const title = titles[type];
  return (
    <>
      <div class="row-main">
        <h3>{title}</h3>
        <p class="meta">
          <Time at={at} />
          {attempts > 0 && <span>{resultOf(delivery)}</span>}
          {attempts > 1 && <span>{counted(attempts, "attempt")}</span>}
          {next && attempts > 0 && <When it="sent again" at={next} />}
        </p>
      </div>
      <div class="row-side">
        <Status of={status} />
        {status !== "waiting" && <RowButton label="Send again" of={title} onClick={onSend} />}
      </div>
    </>
  );
}

function Status({ of }: { of: Delivery["status"] }) {
  if (of === "delivered") return <span class="badge on">Delivered</span>;
  return of === "waiting" ? <span class="badge soon">Waiting</span> : <span class="badge off">Failed</span>;
}

const errorsInWords: Readonly<Record<NonNullable<Delivery["error"]>, string>> = {
  name_not_resolved: "its host name is not found",
  address_not_public: "its host is in a private network",
  connection_failed: "no connection",
  certificate_invalid: "its certificate is not valid",
  timed_out: `no response in ${limits.deliveryTimeoutSeconds} seconds`,
  switched_off: "it was switched off",
};

/** What the last attempt led to. */
function resultOf({ error, response_status: status }: Delivery): string {
  return error === null ? `response ${status}` : errorsInWords[error];
}
