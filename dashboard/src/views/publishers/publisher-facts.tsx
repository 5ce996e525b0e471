import type { ComponentChildren } from "preact";
import type { Publisher } from "../../resources.ts";
import { nameOf } from "../members/roles.ts";

/** Name that people use for the repository; if nobody gave one, its number. */
export function titleOf(publisher: Publisher): string {
  const number = publisher.provider === "github" ? publisher.repository_id : publisher.project_id;
  return publisher.repository ?? `repository ${number}`;
}

/** Person who added it, and whether that person has gone. */
export function adderOf({ added_by: by }: Publisher): string {
  if (by === null) return "unknown";
  return by.role === null ? `${nameOf(by)}, who is not a member any more` : nameOf(by);
}

interface PublisherFactsProps {
  readonly publisher: Publisher;
  /** Further facts, before the others. */
  readonly children?: ComponentChildren;
}

/** Jobs of the repository that a publisher trusts. */
export function PublisherFacts({ publisher, children }: PublisherFactsProps) {
  const { provider, may, environment, ref_protected: isProtected, only_latest_run: isLatest } = publisher;
  const [name, file, numbers] =
    provider === "github"
      ? ["GitHub", publisher.workflow, `repository ${publisher.repository_id}, owner ${publisher.repository_owner_id}`]
      : ["GitLab", publisher.ci_config_path, `project ${publisher.project_id}, group ${publisher.namespace_id}`];
  return (
    <p class="meta">
      {children}
      <span>
        {name}, <code>{file}</code>
      </span>
      {may === "preview" && <span>previews alone</span>}
      <span>{environment === null ? "any environment or none" : `environment ${environment}`}</span>
      <span>{isProtected ? "protected branches and tags" : "any branch or tag"}</span>
      {publisher.provider === "github" && <span>on {publisher.events.join(", ")}</span>}
      {isLatest && <span>never over a later run</span>}
      <span>{numbers}</span>
    </p>
  );
}
