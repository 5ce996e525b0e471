import { useEffect, useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { Button } from "../../parts/button.tsx";
import { Commands, Copy } from "../../parts/copy.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Time } from "../../parts/time.tsx";
import type { CreatedToken } from "../../resources.ts";
import { useFirstSteps } from "../first-steps.tsx";

/** Shows a new token's raw value, once, and where to put it. */
export function NewToken({ token, onDone }: { token: CreatedToken; onDone: () => void }) {
  const { api } = useDashboard().configuration;
  const [install] = useFirstSteps();
  const [isCopied, setCopied] = useState(false);
  const triedToLeave = useStay(!isCopied);
  return (
    <>
      {token.replaces && (
        <Notice kind="note">
          <p>
            The old token expires <Time at={token.replaces.expires_at} />. Put the new one in its place until then.
          </p>
        </Notice>
      )}
      {triedToLeave && !isCopied && (
        <Notice kind="problem">You would lose the token. Copy it first, then say so below.</Notice>
      )}
      <p>
        This is the only time that <b>{token.name}</b> is shown. Nobody, not even we, can show it again.
      </p>
      <Copy text={token.token} label="the token" onCopied={() => setCopied(true)} />
      <details class="fold" name="place" open>
        <summary>On your machine</summary>
        <Commands
          steps={[
            ...(install ? [install] : []),
            { title: "Paste the token where this asks", command: `svc login --token - --api ${api}` },
          ]}
        />
      </details>
      <details class="fold" name="place">
        <summary>In CI</summary>
        <p class="hint">
          Store the token as a secret named <code>SVC_TOKEN</code> and give it to the step that publishes, and to no
          other. That step says too which API the token is for:
        </p>
        <Copy text={`export SVC_API=${api}`} label="the variable" />
      </details>
      <div class="actions">
        <Button kind="primary" onClick={onDone}>
          I have copied it
        </Button>
      </div>
    </>
  );
}

/** The state of the entry that `useStay` adds to the history, and leaves when nothing would be lost any more. */
const stayState = "kept";

/**
 * Keeps the person on the page while something would be lost: the browser asks before it is loaded again or closed, and Back stays
 * here.
 *
 * @returns whether they tried to go back
 */
function useStay(wouldLose: boolean): boolean {
  const [tried, setTried] = useState(false);
  useEffect(() => {
    if (!wouldLose) return;
    const ask = (event: Event) => event.preventDefault();
    const stay = () => {
      history.pushState(stayState, "");
      setTried(true);
    };
    // Back leaves this entry, and the page stays the same.
    history.pushState(stayState, "");
    addEventListener("popstate", stay);
    addEventListener("beforeunload", ask);
    return () => {
      removeEventListener("popstate", stay);
      removeEventListener("beforeunload", ask);
      history.back();
    };
  }, [wouldLose]);
  return tried;
}
