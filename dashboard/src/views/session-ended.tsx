import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { useSubmission } from "../parts/form.ts";
import { Notice } from "../parts/notice.tsx";
import type { SessionEnd } from "../session.ts";

/** Asks to sign in again, over whatever was being done. */
export function SessionEnded({ end }: { end: SessionEnd }) {
  const submission = useSubmission();
  return (
    <Dialog title="Your session has ended" modal="must decide" onClose={() => undefined}>
      <p>Sign in again in a small window. What you have typed stays here, and what you just did goes on.</p>
      {submission.problem && <Notice kind="problem">{submission.problem}</Notice>}
      <div class="actions">
        <Button kind="primary" onClick={() => submission.run(() => end.signInAgain())}>
          Sign in again
        </Button>
      </div>
    </Dialog>
  );
}
