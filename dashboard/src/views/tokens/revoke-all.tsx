import { useDashboard } from "../../dashboard.ts";
import { Decision } from "../../parts/decision.tsx";
import { Facts } from "../../parts/facts.tsx";
import type { RevokedTokens } from "../../resources.ts";

interface RevokeAllProps {
  readonly onRevoked: (result: RevokedTokens) => Promise<void>;
  readonly onCancel: () => void;
}

/** Asks before every token of the account is revoked at once. */
export function RevokeAll({ onRevoked, onCancel }: RevokeAllProps) {
  const { api } = useDashboard();
  const revoke = async () => onRevoked(await api.call("DELETE /tokens"));
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
      <Decision submit="Revoke all" doing="Revoking…" keep="Keep them" onDecided={revoke} onCancel={onCancel} />
    </>
  );
}
