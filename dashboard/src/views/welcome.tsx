import { useEffect } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { useSubmission } from "../parts/form.ts";
import { Mark } from "../parts/mark.tsx";
import { Notice } from "../parts/notice.tsx";

/** The page for a person who is not signed in. */
export function Welcome({ problem, signIn }: { problem: string | undefined; signIn: () => Promise<void> }) {
  const submission = useSubmission();
  useEffect(() => {
    document.title = "Sign in · svc";
  }, []);
  const shown = submission.problem ?? problem;
  return (
    <main class="welcome" id="main">
      <Mark />
      <h1>Publish browser games</h1>
      <p class="lead">From your laptop or from CI, with one command. Players get the whole release or none of it.</p>
      {shown && <Notice kind="problem">{shown}</Notice>}
      <Button kind="primary" busy={submission.busy} onClick={() => submission.run(signIn)}>
        Sign in
      </Button>
    </main>
  );
}
