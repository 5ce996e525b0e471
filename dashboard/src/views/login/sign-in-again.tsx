import { useRef, useState } from "preact/hooks";
import { messageOf } from "../../messages.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import type { SignInPrompt } from "../../session.ts";

/** Asks the person to sign in again, in front of the view that they were using. */
export function SignInAgain({ prompt }: { prompt: SignInPrompt }) {
  const { cancel } = prompt;
  const [problem, setProblem] = useState<string>();
  const latest = useRef(0);
  // Every click opens the window anew, because the page cannot know whether a window of another origin was closed.
  const signInAgain = () => {
    latest.current += 1;
    const attempt = latest.current;
    setProblem(undefined);
    prompt.signInAgain().catch((error) => attempt === latest.current && setProblem(messageOf(error)));
  };
  return (
    <Dialog
      title={cancel ? "Is it still you?" : "Your session has expired"}
      {...(!cancel && { modal: "must decide" as const })}
      onClose={() => cancel?.()}
    >
      <p>
        {cancel ? "What you are about to do needs a new sign-in. " : "Sign in again in a small window. "}
        What you have typed stays here, and what you just did goes on.
      </p>
      {problem && <Notice kind="problem">{problem}</Notice>}
      <div class="actions">
        {cancel && <Button onClick={() => prompt.cancel?.()}>Cancel</Button>}
        <Button kind="primary" onClick={signInAgain}>
          Sign in again
        </Button>
      </div>
    </Dialog>
  );
}
