import { useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { Decision } from "../../parts/decision.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Choice } from "../../parts/field.tsx";
import type { Member, Project, Publisher } from "../../resources.ts";
import { navigate } from "../../router.ts";
import { titleOf } from "../publishers/publisher-facts.tsx";
import { isAdmin, nameOf } from "./roles.ts";

interface MemberRemovalProps {
  readonly project: Project;
  readonly member: Member;
  /** Those of the project. */
  readonly publishers: readonly Publisher[];
  readonly onRemoved: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before a member is removed, or leaves, and names the CI jobs that would publish without this person from then on. */
export function MemberRemoval({ project, member, publishers, onRemoved, onClose }: MemberRemovalProps) {
  const { api, account } = useDashboard();
  const { slug, name } = project;
  const leaves = member.user?.uid === account.user.uid;
  const added = publishers.filter(({ added_by: by }) => by !== null && by.uid === member.user?.uid);
  const unknown = publishers.filter(({ added_by: by }) => by === null);
  const [removesJobs, setRemovesJobs] = useState(true);
  const canRemove = added.length > 0 && isAdmin(project);
  const remove = async () => {
    const params = { slug, member: leaves ? "me" : (member.id ?? "") };
    const query = { publishers: canRemove && removesJobs ? "remove" : "keep" };
    await api.call("DELETE /projects/:slug/members/:member", { params, query });
    if (leaves) navigate("/");
    else await onRemoved();
  };
  return (
    <Dialog title={leaves ? `Leave ${name}?` : `Remove ${nameOf(member.user)}?`} onClose={onClose}>
      <Facts
        of={[
          leaves
            ? ["You", "can do nothing in it from now on, nor can your tokens. Only a new invitation brings you back."]
            : ["They", "are refused from their next request on, and so are their tokens and what they are publishing."],
          ["Releases", `that ${leaves ? "you" : "they"} published stay as they are.`],
          ...(added.length > 0 ? [[`CI jobs of ${leaves ? "yours" : "theirs"}`, <Titles of={added} />] as const] : []),
          ...(unknown.length > 0 ? [["Added by unknown", <Titles of={unknown} />] as const] : []),
        ]}
      />
      {canRemove && (
        <Choice
          type="checkbox"
          name="publishers"
          label={`Remove the CI jobs that ${leaves ? "you" : "they"} added`}
          hint="Else they still publish this game, and whoever can change them does too."
          checked={removesJobs}
          onChecked={setRemovesJobs}
        />
      )}
      <Decision
        submit={leaves ? "Leave" : "Remove"}
        doing={leaves ? "Leaving…" : "Removing…"}
        onDecided={remove}
        onCancel={onClose}
      />
    </Dialog>
  );
}

function Titles({ of }: { of: readonly Publisher[] }) {
  return <bdi>{of.map(titleOf).join(", ")}</bdi>;
}
