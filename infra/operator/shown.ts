import { existingAccount, existingProject, ownedProjects } from "../../functions/domain/accounts/suspensions.ts";
import { playUrl } from "../../functions/domain/projects/play-url.ts";
import type { Account } from "../../functions/entities/account.ts";
import type { Project, ProjectEvent } from "../../functions/entities/project.ts";
import type { Release } from "../../functions/entities/release.ts";
import type { Token } from "../../functions/entities/token.ts";
import { readAccounts } from "../../functions/table/accounts/account-items.ts";
import { readEvents } from "../../functions/table/accounts/events.ts";
import { readProjectEvents } from "../../functions/table/projects/history.ts";
import { readReleases } from "../../functions/table/releases/release-items.ts";
import { readTokensById } from "../../functions/table/tokens/token-items.ts";

/* What the operator is shown of an account or a project: personal data, but no hash of a token. */

const eventsShown = 20;

type Shown<Item> = Item & { readonly url: string | null };

export interface ShownAccount extends Omit<Account, "activeTokens"> {
  /** Number of those that are neither revoked nor removed as expired. */
  readonly activeTokens: number;
  readonly tokens: readonly Omit<Token, "hash" | "accountKey">[];
  readonly projects: readonly Shown<Project>[];
  readonly events: Awaited<ReturnType<typeof readEvents>>["items"];
}

export async function shownAccount(key: string): Promise<ShownAccount> {
  const [account, projects, { items: events }] = await Promise.all([
    existingAccount(key),
    ownedProjects(key),
    readEvents(key, { limit: eventsShown }),
  ]);
  const ids = Object.keys(account.activeTokens);
  const tokens = (await readTokensById(ids.map((id) => ({ accountKey: key, id })))).map(
    ({ hash: _, accountKey: __, ...token }) => token,
  );
  return { ...account, activeTokens: ids.length, tokens, projects: projects.map(withUrl), events };
}

/** Facts of an account that decide about it. */
type Person = Pick<Account, "uid" | "name" | "email" | "emailVerified" | "suspension">;

export interface ShownProject extends Shown<Project> {
  /** Null if the account is deleted. */
  readonly owner: Person | null;
  readonly releases: readonly Release[];
  readonly events: readonly (ProjectEvent & { readonly by: string | undefined })[];
}

export async function shownProject(slug: string): Promise<ShownProject> {
  const { project, owner } = await existingProject(slug);
  const [{ items: releases }, { items: events }] = await Promise.all([
    readReleases(slug, { limit: eventsShown }),
    readProjectEvents(project, { limit: eventsShown }),
  ]);
  const authors = await readAccounts(events.flatMap(({ byKey }) => byKey ?? []));
  const byWhom = events.map((event) => ({ ...event, by: event.byKey && authors.get(event.byKey)?.uid }));
  return { ...withUrl(project), owner: owner ? personOf(owner) : null, releases, events: byWhom };
}

function withUrl(project: Project): Shown<Project> {
  return { ...project, url: playUrl(project) };
}

export function personOf({ uid, name, email, emailVerified, suspension }: Person): Person {
  return { uid, name, email, emailVerified, ...(suspension && { suspension }) };
}
