import { useEffect, useState } from "preact/hooks";
import { useDashboard } from "../dashboard.ts";
import { messageOf } from "../messages.ts";
import { Button, FormActions } from "../parts/button.tsx";
import { ConfirmationField } from "../parts/confirmation.tsx";
import { Facts } from "../parts/facts.tsx";
import { useSubmission } from "../parts/form.ts";
import { Notice } from "../parts/notice.tsx";
import type { Project } from "./projects.tsx";

const word = "delete";

/** Deletes the account, once it has no projects and the person has typed a word and signed in anew. */
export function DeleteAccount({ onCancel }: { onCancel: () => void }) {
  const { api, account, signOut } = useDashboard();
  const [projects, setProjects] = useState<readonly Project[]>();
  const [isDeleted, setDeleted] = useState(false);
  const [typed, setTyped] = useState("");
  const [missed, setMissed] = useState(false);
  const submission = useSubmission();
  useEffect(() => {
    if (account.user.role !== "dev") return setProjects([]);
    void submission.run(async () => {
      setProjects((await api.call("listProjects", { method: "GET", path: "/projects" })).projects);
    });
  }, [api]);
  const remove = (event: Event) => {
    event.preventDefault();
    setMissed(typed !== word);
    if (typed !== word) return undefined;
    return submission.run(async () => {
      await api.call("deleteMe", { method: "DELETE", path: "/me" });
      setDeleted(true);
    });
  };
  if (isDeleted) return <Deleted signOut={signOut} />;
  if (projects !== undefined && projects.length > 0) return <InTheWay projects={projects} onCancel={onCancel} />;
  return (
    <form onSubmit={remove}>
      <Facts
        of={[
          [
            "At once",
            "your profile, your tokens and your history are deleted. What publishes with a token of yours is refused.",
          ],
          ["What stays", "the time of the deletion, for 400 days, under a number that does not name you."],
          ["You", "can sign up again at any time, and begin with nothing. This cannot be undone."],
        ]}
      />
      <ConfirmationField word={word} typed={typed} onTyped={setTyped} missed={missed} />
      <p class="hint">Where you signed in a while ago, you are asked to sign in once more.</p>
      {submission.problem && <Notice kind="problem">{submission.problem}</Notice>}
      <FormActions kind="danger" submit="Delete account" busy={submission.busy} onCancel={onCancel} />
    </form>
  );
}

/** Deleting an account must not delete games as a side effect. */
function InTheWay({ projects, onCancel }: { projects: readonly Project[]; onCancel: () => void }) {
  return (
    <>
      <p>You have projects, which people may play. Delete each, or hand it over to another developer, first:</p>
      <ul class="links">
        {projects.map(({ slug, name }) => (
          <li key={slug}>
            <a href={`/projects/${slug}`}>{name}</a>
          </li>
        ))}
      </ul>
      <div class="actions">
        <Button onClick={onCancel}>Close</Button>
      </div>
    </>
  );
}

function Deleted({ signOut }: { signOut: () => Promise<void> }) {
  const [problem, setProblem] = useState<string>();
  const leave = () => signOut().catch((error) => setProblem(messageOf(error)));
  return (
    <>
      <Notice kind="done">Your account is deleted.</Notice>
      <p>You are still signed in at your identity provider, which has an account of its own for you.</p>
      {problem && <Notice kind="problem">{problem}</Notice>}
      <div class="actions">
        <Button kind="primary" onClick={leave}>
          Sign out
        </Button>
      </div>
    </>
  );
}
