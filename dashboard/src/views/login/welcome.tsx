import { useEffect } from "preact/hooks";
import type { Operator } from "../../configuration.ts";
import { Button } from "../../parts/button.tsx";
import { Footer } from "../../parts/footer.tsx";
import { useSubmission } from "../../parts/form.ts";
import { Mark } from "../../parts/mark.tsx";
import { Notice } from "../../parts/notice.tsx";
import type { Selection } from "../../publish/protocol.ts";
import type { Farewell } from "../../sign-in/sign-in.ts";
import { lazyView } from "../load-views.ts";
import { useDrop } from "../publishing/drop-area.tsx";

interface WelcomeProps {
  readonly problem?: string;
  readonly because?: Farewell;
  readonly signIn: () => Promise<void>;
  readonly operator: Operator | undefined;
  /** Origin of the API. */
  readonly api: string;
  /** Files that were dropped here: they are kept while the person signs in. */
  readonly dropped: Selection | undefined;
  readonly onDropped: (picked: Selection) => void;
  /** Signs out at the provider too; undefined if it keeps no session. */
  readonly signOut: (() => Promise<void>) | undefined;
}

/** What the page says to whoever comes by this path, with what they want there. */
function wordsFor(path: string): { readonly title: string; readonly lead: string } {
  if (path.startsWith("/invitations/"))
    return {
      title: "You are invited to a game",
      lead: "Sign in to see what you could do in it. Nothing changes until you accept.",
    };
  if (path === "/authorize")
    return {
      title: "Approve the command line",
      lead: "svc login on this machine asks for a token that publishes as you. Sign in to see what it may do. Nothing is approved until you say so.",
    };
  if (path === "/device")
    return {
      title: "Approve a device",
      lead: "Sign in, then type the code that svc login --device shows. Nothing is approved until you say so.",
    };
  return {
    title: "Publish browser games",
    lead: "Drop your game’s folder here, and it has an address of its own a minute later. Send the link, look at a new version before players do, and go back to an earlier one at any time.",
  };
}

const ShownInvitation = lazyView(({ ShownInvitation }) => ShownInvitation, null);

/** The page for a person who is not signed in. */
export function Welcome({ problem, because, signIn, signOut, operator, api, dropped, onDropped }: WelcomeProps) {
  const submission = useSubmission();
  useEffect(() => {
    document.title = "Sign in · svc";
  }, []);
  const shown = submission.problem ?? problem;
  const { title, lead } = wordsFor(location.pathname);
  const isOver = useDrop(onDropped);
  const [, slug, id] = /^\/invitations\/([^/]+)\/([^/]+)$/.exec(location.pathname) ?? [];
  return (
    <>
      <main class="welcome" id="main">
        {isOver && <div class="drop-veil">Drop your game</div>}
        <Mark />
        <h1>{title}</h1>
        <p class="lead">{lead}</p>
        {slug && id && <ShownInvitation {...{ api, slug, id }} />}
        {dropped && (
          <Notice kind="done">
            <p>{dropped.name || "Your game"} is ready. Sign in to look at it and publish it.</p>
          </Notice>
        )}
        {shown && <Notice kind="problem">{shown}</Notice>}
        {because === "signed out elsewhere" && <Notice kind="note">You signed out in another tab.</Notice>}
        {because === "account deleted" && (
          <Notice kind="done">
            <p>Your account is deleted.{signOut && " You are still signed in at your identity provider."}</p>
            {signOut && <Button onClick={() => submission.run(signOut)}>Sign out there</Button>}
          </Notice>
        )}
        <Button kind="primary" busy={submission.busy} doing="Signing in…" onClick={() => submission.run(signIn)}>
          {because === "account deleted" ? "Sign up again" : "Sign in"}
        </Button>
        <p>
          <a href="/help/publish-your-game.html">How to publish your game</a>
        </p>
      </main>
      <Footer operator={operator} />
    </>
  );
}
