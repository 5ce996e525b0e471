import type { Account } from "../../entities/account.ts";
import { readAccounts } from "../../table/accounts/account-items.ts";
import { readOwnedSlugs, readProjects } from "../../table/projects/project-items.ts";
import { pendingPublishersOf } from "./pending-publishers.ts";
import { type ShownPublisher, withAdders } from "./publishers.ts";

/** A publisher of one of an account's projects. */
export interface AccountPublisher {
  readonly slug: string;
  /** Whether the project does not exist yet. */
  readonly isPending: boolean;
  readonly publisher: ShownPublisher;
}

/** Every publisher that an account trusts, pending ones too, in the order of their projects: they publish without a token. */
export async function publishersOf(account: Account, now: Date): Promise<AccountPublisher[]> {
  const [slugs, pending] = await Promise.all([readOwnedSlugs(account.key), pendingPublishersOf(account, now)]);
  const projects = (await readProjects(slugs)).filter((project) => project?.ownerKey === account.key);
  const adders = projects.flatMap((project) => project?.publishers ?? []).map(({ addedBy }) => addedBy);
  const accounts = await readAccounts(adders);
  return [
    ...projects.flatMap((project) =>
      project === undefined
        ? []
        : withAdders(project, project.publishers ?? [], accounts).map((publisher) => ({
            ...{ slug: project.slug, isPending: false, publisher },
          })),
    ),
    ...pending.map(({ slug, pending: { publisher } }) => ({
      ...{ slug, isPending: true },
      publisher: { ...publisher, adder: { account, role: undefined } },
    })),
  ];
}
