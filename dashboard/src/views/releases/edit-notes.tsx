import { useState } from "preact/hooks";
import { limits } from "../../../../contract/api/limits.ts";
import { useDashboard } from "../../dashboard.ts";
import { Decision } from "../../parts/decision.tsx";
import { TextArea } from "../../parts/field.tsx";
import type { Release } from "../../resources.ts";

interface EditNotesProps {
  readonly slug: string;
  readonly target: Release;
  readonly onDone: () => Promise<void>;
  readonly onCancel: () => void;
}

/** Edits what a release says is new. */
export function EditNotes({ slug, target, onDone, onCancel }: EditNotesProps) {
  const { api } = useDashboard();
  const [message, setMessage] = useState(target.message ?? "");
  const save = async () => {
    const params = { slug, id: target.id };
    await api.call("PATCH /projects/:slug/releases/:id", { params, body: { message: message.trim() || null } });
    await onDone();
  };
  const isTooLong = message.trim().length > limits.releaseMessageLength;
  return (
    <>
      <TextArea
        label="What is new"
        hint="Players read it on the game’s public page. The project’s history says who edited it."
        error={isTooLong ? `must have at most ${limits.releaseMessageLength} characters` : undefined}
        value={message}
        onValue={setMessage}
      />
      <Decision kind="primary" submit="Save" doing="Saving…" onDecided={save} onCancel={onCancel} />
    </>
  );
}
