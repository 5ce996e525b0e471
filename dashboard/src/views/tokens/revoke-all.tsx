import { useDashboard } from "../../dashboard.ts";
import { Button } from "../../parts/button.tsx";
import { Facts } from "../../parts/facts.tsx";
import { useSubmission } from "../../parts/form.ts";
import { Problem } from "../../parts/notice.tsx";

/** Asks before every token of the account is revoked at once. */
export function RevokeAll({ onRevoked, onCancel }: { onRevoked: () => Promise<void>; onCancel: () => void }) {
  const { api } = useDashboard();
  const submission = useSubmission();
  const revoke = () =>
    submission.run(async () => {
      await api.call("revokeTokens", { method: "DELETE", path: "/tokens" });
      await onRevoked();
    });
  return (
    <>
      <Facts
        of={[
          ["Machines and CI", "that publish in your name are refused from their next request on."],
          ["You", "stay signed in here, and give each of them a new token."],
          ["What is live", "stays live. This cannot be undone."],
        ]}
      />
      <Problem of={submission} />
      <div class="actions">
        <Button onClick={onCancel}>Keep them</Button>
        <Button kind="danger" busy={submission.busy} doing="Revoking…" onClick={revoke}>
          Revoke all
        </Button>
      </div>
    </>
  );
}
