import { useDashboard } from "../dashboard.ts";
import { bytesInWords, counted } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { Time } from "../parts/time.tsx";
import type { Release } from "./roll-back.tsx";

const states = { live: ["Live", "on"], open: ["Not published", "soon"], published: ["Earlier", "off"] } as const;

interface ReleaseRowProps {
  readonly release: Release;
  /** The action on an earlier release; undefined: none. */
  readonly action: "Roll back" | "Make live" | undefined;
  readonly onAction: (release: Release) => void;
}

export function ReleaseRow({ release, action, onAction }: ReleaseRowProps) {
  const { id, status, files, bytes, created_at: created, published_at: published, expires_at: expires } = release;
  const { message, source, published_by: publisher } = release;
  const [label, look] = states[status];
  return (
    <>
      <div class="row-main">
        <h3>
          {published ? (
            <>
              Published <Time at={published} />
            </>
          ) : (
            <>
              Opened <Time at={created} />
            </>
          )}
        </h3>
        {message && <p class="clipped">{message}</p>}
        <p class="meta">
          <span>
            {counted(files, "file")}, {bytesInWords(bytes)}
          </span>
          <code title={id}>{id.slice(0, 9)}…</code>
          {source && <Commit source={source} />}
          {publisher && <PublishedBy publisher={publisher} />}
          {expires && (
            <span>
              given up <Time at={expires} />
            </span>
          )}
        </p>
      </div>
      <div class="row-side">
        <span class={`badge ${look}`}>{label}</span>
        {status === "published" && action && (
          <Button
            kind="quiet"
            aria-label={action === "Make live" ? `Make the release ${id} live` : `Roll back to the release ${id}`}
            onClick={() => onAction(release)}
          >
            {action}
          </Button>
        )}
      </div>
    </>
  );
}

/** The commit that a release was built from; a link to the CI job where it names one. */
function Commit({ source: { commit, run_url: runUrl } }: { source: NonNullable<Release["source"]> }) {
  const text = <code title={commit}>commit {commit.slice(0, 7)}</code>;
  return runUrl?.startsWith("https://") ? (
    <a href={runUrl} target="_blank" rel="noreferrer">
      {text}
    </a>
  ) : (
    text
  );
}

function PublishedBy({ publisher: { uid, token } }: { publisher: NonNullable<Release["published_by"]> }) {
  const { user } = useDashboard().account;
  const who = uid === user.uid ? "by you" : `by ${uid}`;
  return <span>{token ? `${who}, with the token “${token.name}”` : `${who}, on the dashboard`}</span>;
}
