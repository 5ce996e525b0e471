import { useDashboard } from "../../dashboard.ts";
import { Button } from "../../parts/button.tsx";
import { useSubmission } from "../../parts/form.ts";
import { Problem } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";

/** Where a player becomes a developer. */
export function BecomeDeveloper() {
  const { api, setAccount } = useDashboard();
  const submission = useSubmission();
  const become = () =>
    submission.run(async () => {
      setAccount(await api.call("POST /auth/session", { body: { role: "dev" } }));
    });
  return (
    <Page title="Become a developer" narrow>
      <div class="card">
        <p>
          As a developer you can create projects, publish releases that everybody on the internet can play, and create
          tokens that publish in your name.
        </p>
        <Problem of={submission} />
        <Button kind="primary" busy={submission.busy} doing="One moment…" onClick={become}>
          Yes, become a developer
        </Button>
      </div>
    </Page>
  );
}
