import type { Project } from "../../entities/project.ts";
import type { TrustedPublisher } from "../../entities/publisher.ts";
import type { Token } from "../../entities/token.ts";
import { eventWrites } from "../accounts/events.ts";
import { keys } from "../keys.ts";
import { trustedCondition } from "../projects/project-items.ts";
import { activeTokenCheck } from "../tokens/token-items.ts";
import { change, transact, type Write } from "../transaction.ts";

/*
 * The publishers of a project stand in its item (docs/decisions/0053-trusted-publishers.md).
 */

/** Stores one publisher more, provided that the project's publishers are as they were read. */
export async function storeAdded(
  project: Project,
  publisher: TrustedPublisher,
  { token, now }: { readonly token: Token | undefined; readonly now: Date },
): Promise<void> {
  const { slug, ownerKey, publishers = [] } = project;
  const event = { project: slug, publisherId: publisher.id, tokenId: token?.id };
  await transact({
    token: activeTokenCheck(token, now),
    project: publishersWrite(project, [...publishers, publisher]),
    event: eventWrites(ownerKey, now, { type: "publisher_added", ...event }),
  });
}

/** Stores the publishers of a project without one of them, provided that they are as they were read. */
export async function storeRemoved(project: Project, id: string, now: Date): Promise<void> {
  const { slug, ownerKey, publishers = [] } = project;
  await transact({
    project: publishersWrite(
      project,
      publishers.filter((publisher) => publisher.id !== id),
    ),
    event: eventWrites(ownerKey, now, { type: "publisher_removed", project: slug, publisherId: id }),
  });
}

function publishersWrite(project: Project, next: readonly TrustedPublisher[]): Write<Project> {
  const unchanged = trustedCondition(project);
  return change(keys.project(project.slug), "SET publishers = :next", {
    ...unchanged,
    values: { ...unchanged.values, ":next": next },
  });
}
