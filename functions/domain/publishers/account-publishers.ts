import type { Account } from "../../entities/account.ts";
import type { TrustedPublisher } from "../../entities/publisher.ts";
import { readOwnedSlugs, readProjects } from "../../table/projects/project-items.ts";
import { pendingPublishersOf } from "./pending-publishers.ts";

/** A publisher of one of an account's projects. */
export interface AccountPublisher {
  readonly slug: string;
  /** Whether the project does not exist yet. */
  readonly isPending: boolean;
  readonly publisher: TrustedPublisher;
}

/** Every publisher that an account trusts, pending ones too, in the order of their projects: they publish without a token. */
export async function publishersOf(account: Account, now: Date): Promise<AccountPublisher[]> {
  const [slugs, pending] = await Promise.all([readOwnedSlugs(account.key), pendingPublishersOf(account, now)]);
  const projects = (await readProjects(slugs)).filter((project) => project?.ownerKey === account.key);
  return [
    ...projects.flatMap((project) =>
      (project?.publishers ?? []).map((publisher) => ({ slug: project?.slug ?? "", isPending: false, publisher })),
    ),
    ...pending.map(({ slug, pending: { publisher } }) => ({ slug, isPending: true, publisher })),
  ];
}
