import { useDashboard } from "../../dashboard.ts";
import { Decision } from "../../parts/decision.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Facts } from "../../parts/facts.tsx";
import type { Member, Project } from "../../resources.ts";
import { navigate } from "../../router.ts";
import { nameOf } from "./roles.ts";

interface MemberRemovalProps {
  readonly project: Project;
  readonly member: Member;
  readonly onRemoved: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before a member is removed, or leaves. */
export function MemberRemoval({ project: { slug, name }, member, onRemoved, onClose }: MemberRemovalProps) {
  const { api, account } = useDashboard();
  const leaves = member.user?.uid === account.user.uid;
  const remove = async () => {
    const params = { slug, member: leaves ? "me" : (member.id ?? "") };
    await api.call("DELETE /projects/:slug/members/:member", { params });
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
          ...(leaves ? [] : [["CI jobs", "that may publish still may. Remove those that they can change."] as const]),
        ]}
      />
      <Decision
        submit={leaves ? "Leave" : "Remove"}
        doing={leaves ? "Leaving…" : "Removing…"}
        onDecided={remove}
        onCancel={onClose}
      />
    </Dialog>
  );
}
