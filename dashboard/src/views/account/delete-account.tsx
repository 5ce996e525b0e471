import { useDashboard } from "../../dashboard.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmationForm } from "../../parts/confirmation.tsx";
import { Facts } from "../../parts/facts.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { Problem } from "../../parts/notice.tsx";
import { allProjects } from "../../projects.ts";
import type { Project } from "../../resources.ts";

/** Deletes the account, once it has no projects and the person has typed a word and signed in anew. */
export function DeleteAccount({ onCancel }: { onCancel: () => void }) {
  const { api, account, leave } = useDashboard();
  const projects = useLoaded(
    async () => (account.user.role === "dev" ? (await allProjects(api)).filter(({ role }) => role === "owner") : []),
    [api],
  );
  const remove = async () => {
    await api.call("DELETE /me", { empty: true });
    await leave();
  };
  if (projects.value?.length) return <InTheWay projects={projects.value} onCancel={onCancel} />;
  return (
    <ConfirmationForm
      word="delete"
      submit="Delete account"
      doing="Deleting…"
      onConfirmed={remove}
      onCancel={onCancel}
      hint="If you signed in a while ago, you are asked to sign in once more."
    >
      <Problem of={projects} />
      <Facts
        of={[
          [
            "At once",
            "your profile, your tokens and your history are deleted. What publishes with a token of yours is refused.",
          ],
          [
            "What stays",
            "the time of the deletion and how much is still stored, for 400 days, under a key that does not name you.",
          ],
          ["You", "can sign up again at any time, and start with nothing. This cannot be undone."],
        ]}
      />
    </ConfirmationForm>
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
