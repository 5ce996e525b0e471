import { useState } from "preact/hooks";
import { useDashboard } from "../../../dashboard/src/dashboard.ts";
import { Button, FormActions } from "../../../dashboard/src/parts/button.tsx";
import { Copy } from "../../../dashboard/src/parts/copy.tsx";
import { TextField } from "../../../dashboard/src/parts/field.tsx";
import { useSubmission } from "../../../dashboard/src/parts/form.ts";
import { Problem } from "../../../dashboard/src/parts/notice.tsx";

interface AddProps {
  readonly slug: string;
  readonly onAdded: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for a URL, then shows the secret of its signatures, once. */
export function AddWebhook({ slug, onAdded, onClose }: AddProps) {
  const { api } = useDashboard();
  const [url, setUrl] = useState("");
  const [secret, setSecret] = useState<string>();
  const submission = useSubmission();
  const send = submission.onSubmit(async () => {
    const added = await api.call("POST /projects/:slug/webhooks", { params: { slug }, body: { url: url.trim() } });
    setSecret(added.secret);
    await onAdded();
  });
  if (secret !== undefined) return <Secret secret={secret} onClose={onClose} />;
  return (
    <form onSubmit={send}>
      <TextField
        label="URL"
        hint="In Discord: Edit channel, Integrations, Webhooks, Copy webhook URL. A Slack webhook does too, and any https URL of yours."
        inputMode="url"
        spellcheck={false}
        autocapitalize="none"
        required
        autoFocus
        value={url}
        onValue={setUrl}
        error={submission.fieldError("/url")}
      />
      <Problem of={submission} />
      <FormActions submit="Add" doing="Adding…" busy={submission.busy} onCancel={onClose} />
    </form>
  );
}

function Secret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <>
      <p>
        The webhook is added. This is the only time that its secret is shown: a program of yours checks with it that a
        message comes from here. Discord and Slack do not need it.
      </p>
      <Copy text={secret} label="the secret" />
      <div class="actions">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </>
  );
}
