import type { Project } from "../../entities/project.ts";
import type { TrustedPublisher } from "../../entities/publisher.ts";
import { asRead, type Condition } from "../expressions.ts";
import { keys } from "../keys.ts";
import { type ProjectChange, projectEventWrites } from "../projects/history.ts";
import { trustedCondition } from "../projects/project-items.ts";
import { change, transact, type Write } from "../transaction.ts";

/*
 * The publishers of a project stand in its item (docs/decisions/0053-trusted-publishers.md).
 */

/** Stores one publisher more, provided that the project's publishers are as they were read. */
export async function storeAdded(project: Project, publisher: TrustedPublisher, made: ProjectChange): Promise<void> {
  const { publishers = [] } = project;
  await transact({
    project: publishersWrite(project, [...publishers, publisher], trustedCondition(project)),
    event: projectEventWrites(project, made, { type: "publisher_added", publisherId: publisher.id }),
  });
}

/**
 * Stores the publishers of a project without one of them, provided that they are as they were read. The project may be suspended: its
 * owner takes away what a thief has added before it is reinstated.
 */
export async function storeRemoved(project: Project, id: string, made: ProjectChange): Promise<void> {
  const { ownerKey, members, publishers = [] } = project;
  const left = publishers.filter((publisher) => publisher.id !== id);
  await transact({
    project: publishersWrite(project, left, asRead({ ownerKey, members, deletedAt: undefined, publishers })),
    event: projectEventWrites(project, made, { type: "publisher_removed", publisherId: id }),
  });
}

/**
 * Stores the publishers of a project without some of them, provided that they are as they were read. The project may be suspended or
 * deleted: its owner may restore it.
 */
export async function storeWithout(
  project: Project,
  removed: readonly TrustedPublisher[],
  made: ProjectChange,
): Promise<void> {
  const { ownerKey, publishers = [], deletedAt } = project;
  const left = publishers.filter((publisher) => !removed.includes(publisher));
  const events = removed.map(({ id }) =>
    projectEventWrites(project, made, { type: "publisher_removed", publisherId: id }),
  );
  await transact({
    project: publishersWrite(project, left, asRead({ ownerKey, publishers })),
    // The owner of a deleted project may have deleted the account.
    events: deletedAt === undefined ? events.flat() : [],
  });
}

function publishersWrite({ slug }: Project, next: readonly TrustedPublisher[], condition: Condition): Write<Project> {
  return change(keys.project(slug), { publishers: next }, condition);
}
