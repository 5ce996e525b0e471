import { clientsInWords } from "../../../../contract/api/accounts/event-words.ts";
import type { ResponseBody } from "../../../../contract/client.ts";
import { useDashboard } from "../../dashboard.ts";
import { counted } from "../../format.ts";
import { Decision } from "../../parts/decision.tsx";
import { Facts } from "../../parts/facts.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { Notice } from "../../parts/notice.tsx";
import { LastUse } from "../../parts/time.tsx";
import type { Token } from "../../resources.ts";

interface RevokeTokenProps {
  readonly token: Token;
  readonly onRevoked: () => Promise<void>;
  readonly onCancel: () => void;
}

type TokenInUse = ResponseBody<"getToken">;

/** Asks before a token is revoked, and says first what it did, what it can do and who used it last. */
export function RevokeToken({ token, onRevoked, onCancel }: RevokeTokenProps) {
  const { api } = useDashboard();
  const params = { id: token.id };
  const { value: inUse, problem } = useLoaded(() => api.call("GET /tokens/:id", { params }), [api, token.id]);
  const revoke = async () => {
    await api.call("DELETE /tokens/:id", { params, empty: true });
    await onRevoked();
  };
  return (
    <>
      <p>Whatever uses it is refused from its next request on. This cannot be undone.</p>
      {problem && <Notice kind="problem">What this token did cannot be shown: {problem}</Notice>}
      {!problem && (
        <Facts
          of={[
            [
              "Last use",
              <>
                <LastUse at={token.last_used_at} />
                {inUse?.last_used_by && `, ${byWhom(inUse.last_used_by)}`}
              </>,
            ],
            ["Published", inUse ? publishedInWords(inUse) : "…"],
            ["Can act on", inUse ? inUse.reach.join(", ") || "no project" : "…"],
          ]}
        />
      )}
      <p class="hint">
        What it published stays live. A file or a CI secret that holds the token is not deleted by this.
      </p>
      <Decision submit="Revoke" doing="Revoking…" keep="Keep it" onDecided={revoke} onCancel={onCancel} />
    </>
  );
}

function byWhom({ client, network }: NonNullable<TokenInUse["last_used_by"]>): string {
  return network ? `${clientsInWords[client]}, from ${network}` : clientsInWords[client];
}

function publishedInWords({ activity, activity_complete: isComplete }: TokenInUse): string {
  const projects = activity.filter(({ type }) => type === "release_published").map(({ project }) => project ?? "");
  if (projects.length === 0) return isComplete ? "nothing" : "nothing lately";
  const releases = `${counted(projects.length, "release")} of ${[...new Set(projects)].join(", ")}`;
  return isComplete ? releases : `${releases}, and maybe more before`;
}
