import { limits } from "../../../contract/api/limits.ts";
import type { Account } from "../../entities/account.ts";
import type { Project, ProjectRole, RefusedToken } from "../../entities/project.ts";
import type { Token } from "../../entities/token.ts";
import { readAccounts } from "../../table/accounts/account-items.ts";
import { storeRefusedTokens } from "../../table/projects/refused-token-items.ts";
import { readActiveTokens, readTokensById } from "../../table/tokens/token-items.ts";
import { changeBy, type ProjectActor } from "../authentication.ts";
import { cursorAfter, type Page, sliceOf, sliceOfAll } from "../pages.ts";
import { ServiceError } from "../service-error.ts";
import { tokenStatus } from "../tokens/tokens.ts";
import { lineageOf, roleIn } from "./state.ts";

/** A token of one of the people of a project that can act on the project unless it is refused. */
export interface ProjectToken {
  readonly token: Token;
  readonly account: Account;
  readonly role: ProjectRole;
  /** Unset if the project takes it. */
  readonly refusedAt: string | undefined;
}

/**
 * One page of the active tokens of its people that can act on a project. Pages follow the ids; within a page those that were used last
 * are first.
 *
 * @throws ServiceError `invalid_cursor`
 */
export async function listProjectTokens(
  { project }: ProjectActor,
  page: Page,
  now: Date,
): Promise<{ tokens: ProjectToken[]; nextCursor: string | null }> {
  const list = `tokens of project ${project.slug}`;
  const people = await readPeople(project);
  const holders = new Map(people.flatMap((account) => Object.keys(account.activeTokens).map((id) => [id, account])));
  const { items, last } = sliceOfAll([...holders.keys()], sliceOf(page, list));
  const read = await readTokensById(items.flatMap((id) => ({ accountKey: holders.get(id)?.key ?? "", id })));
  const tokens = read.flatMap((token) => {
    const account = holders.get(token.id);
    return account && isReaching(token, project, now) ? [shown(token, account, project)] : [];
  });
  const usedAt = ({ token }: ProjectToken) => token.lastUsedAt ?? "";
  return {
    tokens: tokens.toSorted((a, b) => (usedAt(a) < usedAt(b) ? 1 : -1)),
    nextCursor: cursorAfter(last, list),
  };
}

/**
 * Refuses a token in a project, with those that replace it, or takes it again. What is so already is no change.
 *
 * @throws ServiceError `token_not_found` if it is no active token of one of the people that can act on the project;
 *   `refused_token_limit_reached`
 */
export async function updateProjectToken(
  actor: ProjectActor,
  { id, refused }: { readonly id: string; readonly refused: boolean },
  now: Date,
): Promise<ProjectToken> {
  const { project } = actor;
  const account = (await readPeople(project)).find(({ activeTokens }) => Object.hasOwn(activeTokens, id));
  const [token] = account ? await readTokensById([{ accountKey: account.key, id }]) : [];
  if (account === undefined || token === undefined || !isReaching(token, project, now))
    throw new ServiceError("token_not_found");
  const current = shown(token, account, project);
  if ((current.refusedAt !== undefined) === refused) return current;
  const { [lineageOf(token)]: _, ...others } = project.refusedTokens ?? {};
  const refusal = { at: now.toISOString(), accountKey: account.key };
  const refusedTokens = refused ? { ...(await effective(others, now)), [lineageOf(token)]: refusal } : others;
  if (Object.keys(refusedTokens).length > limits.refusedTokensPerProject)
    throw new ServiceError("refused_token_limit_reached");
  const type = refused ? "token_refused" : "token_taken_again";
  await storeRefusedTokens(project, refusedTokens, changeBy(actor, now), {
    type,
    tokenId: id,
    tokenName: token.name,
    memberKey: account.key,
  });
  return shown(token, account, { ...project, refusedTokens });
}

/** The accounts of the people of a project that are still there. */
async function readPeople({ ownerKey, members = {} }: Project): Promise<Account[]> {
  return [...(await readAccounts([ownerKey, ...Object.keys(members)])).values()];
}

function isReaching(token: Token, { slug }: Project, now: Date): boolean {
  return tokenStatus(token, now) === "active" && (token.projects?.includes(slug) ?? true);
}

function shown(token: Token, account: Account, project: Project): ProjectToken {
  const role = roleIn(project, account.key) ?? "publisher";
  return { token, account, role, refusedAt: project.refusedTokens?.[lineageOf(token)]?.at };
}

/** Refusals that still have an effect: only an active token is replaced, so a token without an active one after it never acts again. */
async function effective(
  all: Readonly<Record<string, RefusedToken>>,
  now: Date,
): Promise<Record<string, RefusedToken>> {
  const accounts = await readAccounts(Object.values(all).map(({ accountKey }) => accountKey));
  const active = (await readActiveTokens(accounts.values())).filter((token) => tokenStatus(token, now) === "active");
  const lineages = new Set(active.map(lineageOf));
  return Object.fromEntries(Object.entries(all).filter(([lineage]) => lineages.has(lineage)));
}
