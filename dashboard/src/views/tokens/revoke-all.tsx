import { useDashboard } from "../../dashboard.ts";
import { Button } from "../../parts/button.tsx";
import { Facts } from "../../parts/facts.tsx";
import { useSubmission } from "../../parts/form.ts";
import { Problem } from "../../parts/notice.tsx";
import type { RevokedTokens } from "../../resources.ts";

interface RevokeAllProps {
  readonly onRevoked: (result: RevokedTokens) => Promise<void>;
  readonly onCancel: () => void;
}

/** Asks before every token of the account is revoked at once. */
export function RevokeAll({ onRevoked, onCancel }: RevokeAllProps) {
  const { api } = useDashboard();
  const submission = useSubmission();
  const revoke = () =>
    submission.run(async () => {
      await onRevoked(await api.call("revokeTokens", { method: "DELETE", path: "/tokens" }));
    });
  return (
    <>
      <Facts
        of={[
          ["Machines and CI", "that publish with a token of yours are refused from their next request on."],
          ["You", "stay signed in here, and give each of them a new token."],
          ["CI jobs without a token", "can still publish. They are listed next, so that you can remove them."],
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
