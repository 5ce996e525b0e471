import { useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { RowButton } from "../../parts/button.tsx";
import { Decision } from "../../parts/decision.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Facts } from "../../parts/facts.tsx";
import { idOf, List, type LoadedList, useList } from "../../parts/list.tsx";
import { LastUse, When } from "../../parts/time.tsx";
import type { Project, ProjectToken } from "../../resources.ts";
import { nameOf, rolesInWords } from "../members/roles.ts";
import { scopesInWords } from "../tokens/token-form.tsx";
import { SectionHeading, sections } from "./settings-sections.tsx";

/** The active tokens that can act on a project, for its owner. */
export function useProjectTokens({ slug, role }: Project): LoadedList<ProjectToken> {
  const { api } = useDashboard();
  return useList(`tokens of ${slug}`, async (cursor) => {
    if (role !== "owner") return { items: [], nextCursor: null };
    const page = await api.call("GET /projects/:slug/tokens", { params: { slug }, query: { cursor } });
    return { items: page.tokens, nextCursor: page.next_cursor };
  });
}

/** The tokens of the people of a project that can act on it, each with a button that refuses it here, or takes it again. */
export function ProjectTokens({ project, list }: { project: Project; list: LoadedList<ProjectToken> }) {
  const [open, setOpen] = useState<ProjectToken>();
  const close = () => setOpen(undefined);
  const canChange = project.suspension === null;
  return (
    <>
      <SectionHeading of={sections.tokens} />
      <List
        list={list}
        label={sections.tokens.title}
        keyOf={idOf}
        empty={<p class="empty hint">No token of yours or of a member can act on this project.</p>}
        row={(token) => <TokenRow token={token} onDecide={canChange ? () => setOpen(token) : undefined} />}
      />
      {open && (
        <TokenDecision
          project={project}
          token={open}
          onDecided={async () => {
            await list.reload();
            close();
          }}
          onClose={close}
        />
      )}
    </>
  );
}

interface TokenRowProps {
  readonly token: ProjectToken;
  readonly onDecide: (() => void) | undefined;
}

function TokenRow({ token, onDecide }: TokenRowProps) {
  const { name, hint, user, role, scopes, all_projects: isWide, expires_at, last_used_at, refused_at } = token;
  const of = `${name} of ${nameOf(user)}`;
  return (
    <>
      <div class="row-main">
        <h3>
          <bdi>{name}</bdi>
        </h3>
        <p>
          <bdi>{nameOf(user)}</bdi>, {rolesInWords[role].title.toLowerCase()}:{" "}
          {scopes.map((scope) => scopesInWords[scope].title.toLowerCase()).join(", ")}
          {isWide && ", in all their projects"}
        </p>
        <p class="meta">
          <code>pat_…{hint}</code>
          <When it="expires" at={expires_at} />
          <span>
            <LastUse at={last_used_at} />
          </span>
        </p>
      </div>
      <div class="row-side">
        {refused_at !== null && <span class="badge off">Refused here</span>}
        {onDecide && (
          <RowButton
            label={refused_at === null ? "Refuse" : "Take again"}
            of={of}
            {...(refused_at === null && { risky: true })}
            onClick={onDecide}
          />
        )}
      </div>
    </>
  );
}

interface TokenDecisionProps {
  readonly project: Project;
  readonly token: ProjectToken;
  readonly onDecided: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before a token is refused in a project, or taken again. */
function TokenDecision({ project, token, onDecided, onClose }: TokenDecisionProps) {
  const { api } = useDashboard();
  const refuses = token.refused_at === null;
  const decide = async () => {
    const params = { slug: project.slug, id: token.id };
    await api.call("PATCH /projects/:slug/tokens/:id", { params, body: { refused: refuses } });
    await onDecided();
  };
  const whose = nameOf(token.user);
  return (
    <Dialog
      title={`${refuses ? "Refuse" : "Take"} ${token.name} in ${project.name}${refuses ? "" : " again"}?`}
      onClose={onClose}
    >
      <Facts
        of={
          refuses
            ? [
                ["The token", "can do nothing in this project from its next request on, nor can one that replaces it."],
                ["Elsewhere", "it goes on working."],
                ["Its person", `${whose} is told, and can create another. To refuse the person, remove the member.`],
              ]
            : [["The token", `can do again what it says, as ${whose}.`]]
        }
      />
      <Decision
        submit={refuses ? "Refuse" : "Take again"}
        doing="Saving…"
        kind={refuses ? "danger" : "primary"}
        onDecided={decide}
        onCancel={onClose}
      />
    </Dialog>
  );
}
