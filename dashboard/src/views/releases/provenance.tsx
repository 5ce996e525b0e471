import { useDashboard } from "../../dashboard.ts";
import { Facts } from "../../parts/facts.tsx";
import { pagesOf } from "../../repository.ts";
import type { Release } from "../../resources.ts";

const providers = { github: "GitHub", gitlab: "GitLab" } as const;

type Provenances = NonNullable<Release["provenance"]>;

/** Which repository a release comes from, in a line of facts. */
export function Vouched({ of: { repository, provider } }: { of: Provenances }) {
  return (
    <span>
      From {repository}, as {providers[provider]} vouched
    </span>
  );
}

/** CI run that uploaded a release, as the provider vouched for it; with links only to hosts whose jobs this stage trusts. */
export function ProvenanceFacts({ of: provenance }: { of: Provenances }) {
  const { configuration } = useDashboard();
  const { repository, repository_id: id, commit, ref, workflow, actor } = provenance;
  const pages = pagesOf(provenance, configuration);
  return (
    <>
      <p class="hint">
        <Vouched of={provenance} />
      </p>
      <Facts
        of={[
          [
            "Repository",
            <>
              <b>{repository}</b>, number {id}
            </>,
          ],
          [
            "Commit",
            <Outward to={pages?.commit}>
              <code>{commit}</code>
            </Outward>,
          ],
          ["Branch or tag", <code>{ref.replace(/^refs\/(?:heads|tags)\//, "")}</code>],
          ["Workflow", <code>{workflow}</code>],
          ["Started by", actor],
          ...(pages ? [["Run", <Outward to={pages.run}>Look at its log</Outward>] as const] : []),
        ]}
      />
    </>
  );
}

interface OriginProps {
  readonly commit?: string | undefined;
  readonly run_url?: string | undefined;
}

/** The commit that a release comes from, and its run, if it is known. */
export function Origin({ commit, run_url: run }: OriginProps) {
  return commit === undefined ? null : (
    <Outward to={run}>
      commit <code>{commit.slice(0, 7)}</code>
    </Outward>
  );
}

/** A link that tells the other page nothing; the text alone if there is none. */
export function Outward({ to, children }: { to: string | undefined; children: preact.ComponentChildren }) {
  if (to === undefined) return <>{children}</>;
  return (
    <a href={to} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
