import { useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { FormActions } from "../../parts/button.tsx";
import { Segments } from "../../parts/field.tsx";
import { useSubmission } from "../../parts/form.ts";
import { Problem } from "../../parts/notice.tsx";
import type { CreatedToken, Token } from "../../resources.ts";
import { useMaxDays } from "./token-form.tsx";

const overlaps = [
  ["1", "1 hour"],
  ["24", "1 day"],
  ["168", "7 days"],
] as const;

/** Lifetimes of the new token that are offered, in days. */
const offeredDays = [30, 90];

interface ReplaceTokenProps {
  readonly token: Token;
  readonly onReplaced: (token: CreatedToken) => void;
  readonly onCancel: () => void;
}

/** Creates a token of the same kind, beside which the old one goes on working for a while. */
export function ReplaceToken({ token, onReplaced, onCancel }: ReplaceTokenProps) {
  const { api } = useDashboard();
  const [hours, setHours] = useState("24");
  const [days, setDays] = useState("");
  const maxDays = useMaxDays();
  const lifetimes = [
    ["", "When the old one would"] as const,
    ...offeredDays.flatMap((offered) => (offered <= maxDays ? [[`${offered}`, `After ${offered} days`] as const] : [])),
  ];
  const submission = useSubmission();
  const replace = submission.onSubmit(async () => {
    const body = { overlap_hours: Number(hours), ...(days && { expires_in_days: Number(days) }) };
    onReplaced(await api.call("POST /tokens/:id/replacement", { creates: true, params: { id: token.id }, body }));
  });
  return (
    <form onSubmit={replace}>
      <p>
        The new token has the same name, scopes and projects. The old one goes on working beside it, so that nothing
        stops while you put the new one in its place.
      </p>
      <Problem of={submission} />
      <Segments
        legend="The old token expires after"
        name="overlap"
        choices={overlaps}
        chosen={hours}
        onChosen={setHours}
      />
      <Segments legend="The new token expires" name="days" choices={lifetimes} chosen={days} onChosen={setDays} />
      <p class="hint">The old token keeps its own expiry if that is earlier. Revoke it to stop it at once.</p>
      <FormActions submit="Replace" doing="Replacing…" busy={submission.busy} onCancel={onCancel} />
    </form>
  );
}
