import { useEffect, useState } from "preact/hooks";
import type { Api } from "../api.ts";
import { useDashboard } from "../dashboard.ts";
import { counted } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { useSubmission } from "../parts/form.ts";
import { Notice } from "../parts/notice.tsx";
import { Time } from "../parts/time.tsx";
import type { Token } from "./token-form.tsx";

interface RevokeTokenProps {
  readonly token: Token;
  readonly onRevoked: () => void;
  readonly onCancel: () => void;
}

/** Asks before a token is revoked, and says first what it has been used for. */
export function RevokeToken({ token, onRevoked, onCancel }: RevokeTokenProps) {
  const { api } = useDashboard();
  const [published, setPublished] = useState<Published>();
  const submission = useSubmission();
  useEffect(() => {
    publishedWith(api, token.id).then(setPublished, () => setPublished({ releases: 0, projects: [], isWhole: false }));
  }, [api, token.id]);
  const revoke = () =>
    submission.run(async () => {
      await api.call("revokeToken", { method: "DELETE", path: "/tokens/:id", params: { id: token.id } });
      onRevoked();
    });
  return (
    <>
      <p>Whatever uses it is refused from its next request on. This cannot be undone.</p>
      <dl class="facts">
        <div>
          <dt>Last used</dt>
          <dd>{token.last_used_at ? <Time at={token.last_used_at} /> : "never"}</dd>
        </div>
        <div>
          <dt>Published</dt>
          <dd>{published ? inWords(published) : "…"}</dd>
        </div>
      </dl>
      <p class="hint">
        What it published stays live. A file or a CI secret that holds the token is not deleted by this.
      </p>
      {submission.problem && <Notice kind="problem">{submission.problem}</Notice>}
      <div class="actions">
        <Button onClick={onCancel}>Keep it</Button>
        <Button kind="danger" busy={submission.busy} onClick={revoke}>
          Revoke
        </Button>
      </div>
    </>
  );
}

interface Published {
  readonly releases: number;
  readonly projects: readonly string[];
  /** False: the account has more events than were read. */
  readonly isWhole: boolean;
}

const maximumPages = 3;

/** What the account's newest events say that a token published. */
async function publishedWith(api: Api, tokenId: string): Promise<Published> {
  const projects: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maximumPages; page += 1) {
    const { events, next_cursor: next } = await api.call("listEvents", {
      method: "GET",
      path: "/me/events",
      query: { cursor },
    });
    for (const event of events)
      if (event.type === "release_published" && event.token_id === tokenId) projects.push(event.project ?? "");
    if (next === null) return { releases: projects.length, projects: [...new Set(projects)], isWhole: true };
    cursor = next;
  }
  return { releases: projects.length, projects: [...new Set(projects)], isWhole: false };
}

function inWords({ releases, projects, isWhole }: Published): string {
  if (releases === 0) return isWhole ? "nothing" : "nothing lately";
  return `${counted(releases, "release")} of ${projects.join(", ")}${isWhole ? "" : ", and maybe more before"}`;
}
