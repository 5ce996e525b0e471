import type { Account } from "../../entities/account.ts";
import type { Release } from "../../entities/release.ts";
import { readAccounts } from "../../table/accounts/account-items.ts";
import { type ProjectActor, tokenOf } from "../authentication.ts";
import { countFalseCopies } from "./copies.ts";
import { isPreviewOnly, openerOf } from "./openers.ts";

/** Caller who looks at releases of a project. */
export interface ReleaseViewer {
  readonly account: Account;
  /** The job of a trusted publisher sees no name of the account's tokens, no message, and no other person. */
  readonly isCiJob: boolean;
  /** The other people who made them live, by their keys: whoever looks sees their public profiles. */
  readonly others: ReadonlyMap<string, Account>;
  /** How many copies of each release are not their files, by its id. */
  readonly falseCopies: ReadonlyMap<string, number>;
  /** Set if the viewer may only open previews: of what others opened it sees no message and no source. */
  readonly previewOnly?: { readonly opener: string } | undefined;
}

/** Viewer of these releases. Accounts are read only for what somebody else made live, at once for all of them. */
export async function viewerOf(actor: ProjectActor, releases: readonly Release[]): Promise<ReleaseViewer> {
  const { account, project } = actor;
  const isCiJob = tokenOf(actor)?.job !== undefined;
  const people = releases
    .flatMap(({ publishedBy, firstPublished, waiting }) => [publishedBy, firstPublished?.by, waiting?.by])
    .concat(
      project.schedule && releases.some(({ id }) => id === project.schedule?.releaseId) ? [project.schedule.by] : [],
    )
    .filter((by) => by !== undefined)
    .filter(({ accountKey, publisherId }) => accountKey !== account.key && publisherId === undefined);
  const previewOnly = isPreviewOnly(actor) ? { opener: openerOf(actor) ?? "" } : undefined;
  const [others, falseCopies] = await Promise.all([
    readAccounts(isCiJob ? [] : people.map(({ accountKey }) => accountKey)),
    countFalseCopies(project.slug, releases),
  ]);
  return { account, isCiJob, previewOnly, others, falseCopies };
}
