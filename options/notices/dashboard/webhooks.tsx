import { useState } from "preact/hooks";
import { limits } from "../../../contract/api/limits.ts";
import { useDashboard } from "../../../dashboard/src/dashboard.ts";
import type { OptionViews } from "../../../dashboard/src/option.ts";
import { Button, RowButton } from "../../../dashboard/src/parts/button.tsx";
import { Decision } from "../../../dashboard/src/parts/decision.tsx";
import { Dialog } from "../../../dashboard/src/parts/dialog.tsx";
import { idOf, List, type LoadedList, useList } from "../../../dashboard/src/parts/list.tsx";
import { When } from "../../../dashboard/src/parts/time.tsx";
import type { Project } from "../../../dashboard/src/resources.ts";
import { isAdmin } from "../../../dashboard/src/views/members/roles.ts";
import { SectionHeading } from "../../../dashboard/src/views/projects/settings-sections.tsx";
import { AddWebhook } from "./add-webhook.tsx";
import { Deliveries } from "./deliveries.tsx";
import type { Webhook } from "./resources.ts";

type Open = "add" | { readonly what: "deliveries" | "removal"; readonly id: string };

const section = { id: "webhooks", title: "Webhooks" };

/** The part of a project's settings with its webhooks, for those who may see them. */
export const webhookSettings: NonNullable<OptionViews["Settings"]> = {
  section,
  isShown: (project) => isAdmin(project) && project.suspension === null,
  View: Webhooks,
};

/** The URLs that are told of changes of a project. */
function Webhooks({ project: { slug } }: { project: Project }) {
  const { api } = useDashboard();
  const [open, setOpen] = useState<Open>();
  const list = useList(`webhooks of ${slug}`, async () => {
    const { webhooks } = await api.call("GET /projects/:slug/webhooks", { params: { slug } });
    return { items: webhooks, nextCursor: null };
  });
  const close = () => setOpen(undefined);
  return (
    <>
      <SectionHeading of={section}>
        {(list.items?.length ?? limits.webhooksPerProject) < limits.webhooksPerProject && (
          <Button onClick={() => setOpen("add")}>Add a webhook</Button>
        )}
      </SectionHeading>
      <List
        list={list}
        label={section.title}
        keyOf={idOf}
        empty={
          <p class="empty hint">
            A webhook tells your Discord or Slack channel, or a program of yours, whenever the game goes live or
            offline.
          </p>
        }
        row={(webhook) => (
          <WebhookRow
            webhook={webhook}
            onDeliveries={() => setOpen({ what: "deliveries", id: webhook.id })}
            onRemove={() => setOpen({ what: "removal", id: webhook.id })}
          />
        )}
      />
      {open === "add" && (
        <Dialog title="Add a webhook" onClose={close}>
          <AddWebhook slug={slug} onAdded={list.reload} onClose={close} />
        </Dialog>
      )}
      {open && open !== "add" && <OpenWebhook slug={slug} list={list} open={open} onClose={close} />}
    </>
  );
}

interface RowProps {
  readonly webhook: Webhook;
  readonly onDeliveries: () => void;
  readonly onRemove: () => void;
}

function WebhookRow({ webhook, onDeliveries, onRemove }: RowProps) {
  const { url, enabled, failing_since: failing, switched_off_at: off, created_at: created } = webhook;
  return (
    <>
      <div class="row-main">
        <h3 class="clipped">
          <bdi>{url}</bdi>
        </h3>
        <p class="meta">
          <When it="added" at={created} />
          {failing && <When it="first failed" at={failing} />}
          {off && <When it="switched off" at={off} />}
        </p>
      </div>
      <div class="row-side">
        {!enabled && <span class="badge off">Off</span>}
        {enabled && failing && <span class="badge soon">Fails</span>}
        <RowButton label="Deliveries" of={`to ${url}`} onClick={onDeliveries} />
        <RowButton label="Remove" of={url} risky onClick={onRemove} />
      </div>
    </>
  );
}

interface OpenProps {
  readonly slug: string;
  readonly list: LoadedList<Webhook>;
  readonly open: Exclude<Open, "add">;
  readonly onClose: () => void;
}

/** What is open of one webhook, as the list has it. */
function OpenWebhook({ slug, list, open: { what, id }, onClose }: OpenProps) {
  const { api } = useDashboard();
  const webhook = list.items?.find((each) => each.id === id);
  if (webhook === undefined) return null;
  const remove = async () => {
    await api.call("DELETE /projects/:slug/webhooks/:id", { params: { slug, id }, empty: true });
    onClose();
    await list.reload();
  };
  return what === "removal" ? (
    <Dialog title="Remove the webhook?" onClose={onClose}>
      <p>
        <bdi>{webhook.url}</bdi> is told nothing any more, and its deliveries are deleted.
      </p>
      <Decision submit="Remove" doing="Removing…" keep="Keep it" onDecided={remove} onCancel={onClose} />
    </Dialog>
  ) : (
    <Dialog title={`Deliveries to ${webhook.url}`} onClose={onClose}>
      <Deliveries slug={slug} webhook={webhook} onChanged={list.reload} onClose={onClose} />
    </Dialog>
  );
}
