import type { ComponentChildren } from "preact";
import { useDashboard } from "../../dashboard.ts";
import { RowButton } from "../../parts/button.tsx";
import { Copy } from "../../parts/copy.tsx";
import { useSubmission } from "../../parts/form.ts";
import { Problem } from "../../parts/notice.tsx";
import { When } from "../../parts/time.tsx";
import type { Invitation } from "../../resources.ts";
import { invitationUrl } from "../../router.ts";

interface InvitationRowProps {
  /** The project that it stands in. */
  readonly slug: string;
  readonly invitation: Pick<Invitation, "id" | "to" | "expires_at">;
  readonly heading: "h2" | "h3";
  /** To what it is. */
  readonly children: ComponentChildren;
  /** Whether the link of an invitation to a named user is there to copy. */
  readonly hasLink?: true;
  readonly onChanged: () => Promise<void>;
}

/** Row of an invitation. What it shows of a link is not enough to accept it: only who made the link has seen the rest. */
export function InvitationRow({
  slug,
  invitation,
  heading: Heading,
  children,
  hasLink,
  onChanged,
}: InvitationRowProps) {
  const { api } = useDashboard();
  const submission = useSubmission();
  const { id, to, expires_at: expiresAt } = invitation;
  const title = to ?? "Whoever has the link";
  const withdraw = () =>
    submission.run(async () => {
      const params = { slug, invitation: id };
      await api.call("DELETE /projects/:slug/invitations/:invitation", { params, empty: true });
      await onChanged();
    });
  return (
    <>
      <div class="row-main">
        <Heading>{title}</Heading>
        <p class="meta">
          <span>{children}</span>
          <When it="expires" at={expiresAt} />
        </p>
        {hasLink && to !== null && <Copy text={invitationUrl(slug, { id })} label="the link" />}
        <Problem of={submission} />
      </div>
      <div class="row-side">
        <span class="badge soon">Invited</span>
        <RowButton label="Withdraw" doing="Withdrawing…" busy={submission.busy} of={title} risky onClick={withdraw} />
      </div>
    </>
  );
}
