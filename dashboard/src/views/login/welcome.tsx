import { useEffect } from "preact/hooks";
import type { Operator } from "../../configuration.ts";
import { Button } from "../../parts/button.tsx";
import { Footer } from "../../parts/footer.tsx";
import { useSubmission } from "../../parts/form.ts";
import { Mark } from "../../parts/mark.tsx";
import { Notice } from "../../parts/notice.tsx";
import type { Selection } from "../../publish/protocol.ts";
import type { Farewell } from "../../sign-in/sign-in.ts";
import { useDrop } from "../publishing/drop-area.tsx";

interface WelcomeProps {
  readonly problem?: string;
  readonly because?: Farewell;
  readonly signIn: () => Promise<void>;
  readonly operator: Operator | undefined;
  /** Files that were dropped here: they are kept while the person signs in. */
  readonly dropped: Selection | undefined;
  readonly onDropped: (picked: Selection) => void;
  /** Signs out at the provider too; undefined if it keeps no session. */
  readonly signOut: (() => Promise<void>) | undefined;
}

/** The page for a person who is not signed in. */
export function Welcome({ problem, because, signIn, signOut, operator, dropped, onDropped }: WelcomeProps) {
  const submission = useSubmission();
  useEffect(() => {
    document.title = "Sign in · svc";
  }, []);
  const shown = submission.problem ?? problem;
  const isInvited = location.pathname.startsWith("/invitations/");
  const isOver = useDrop(onDropped);
  return (
    <>
      <main class="welcome" id="main">
        {isOver && <div class="drop-veil">Drop your game</div>}
        <Mark />
        <h1>{isInvited ? "You are invited to a game" : "Publish browser games"}</h1>
        <p class="lead">
          {isInvited
            ? "Somebody wants to work on a browser game with you. Sign in to see who, and on which one. Nothing changes until you accept."
            : "Drop your game’s folder here, and it has an address of its own a minute later. Send the link, look at a new version before players do, and go back to an earlier one at any time."}
        </p>
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
