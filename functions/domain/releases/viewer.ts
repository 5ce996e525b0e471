import type { Account } from "../../entities/account.ts";
import type { Release } from "../../entities/release.ts";
import { readAccounts } from "../../table/accounts/account-items.ts";
import { type Actor, tokenOf } from "../authentication.ts";
import { isPreviewOnly, openerOf } from "./openers.ts";

/** Caller who looks at releases of a project. */
export interface ReleaseViewer {
  readonly account: Account;
  /** The job of a trusted publisher sees no name of the account's tokens, no message, and no other person. */
  readonly isCiJob: boolean;
  /** The other people who made them live, by their keys: whoever looks sees their public profiles. */
  readonly others: ReadonlyMap<string, Account>;
  /** Set if the viewer may only open previews: of what others opened it sees no message and no source. */
  readonly previewOnly?: { readonly opener: string } | undefined;
}

/** Viewer of these releases. Only for what somebody else made live a read is needed, one for all of them. */
export async function viewerOf(actor: Actor, releases: readonly Release[]): Promise<ReleaseViewer> {
  const { account } = actor;
  const isCiJob = tokenOf(actor)?.job !== undefined;
  const people = releases
    .flatMap(({ publishedBy, firstPublished }) => [publishedBy, firstPublished?.by])
    .filter((by) => by !== undefined)
    .filter(({ accountKey, publisherId }) => accountKey !== account.key && publisherId === undefined);
  const previewOnly = isPreviewOnly(actor) ? { opener: openerOf(actor) ?? "" } : undefined;
  return {
    account,
    isCiJob,
    previewOnly,
    others: await readAccounts(isCiJob ? [] : people.map(({ accountKey }) => accountKey)),
  };
}
