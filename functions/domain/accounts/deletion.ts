import { retryOnConflict } from "../../conflict.ts";
import type { Account, Identity } from "../../entities/account.ts";
import { readAccount } from "../../table/accounts/account-items.ts";
import { eraseAccount, isErasing, removeAccount } from "../../table/accounts/deletion-items.ts";
import { accountKey } from "../../table/keys.ts";
import { markProjectDeleted } from "../../table/projects/deletion-items.ts";
import { readOwnedSlugs } from "../../table/projects/project-items.ts";
import { leaveProjects } from "../projects/members.ts";
import { bringToEdge, type EdgeState } from "../projects/pointers.ts";
import { leaveTeams } from "../projects/team-members.ts";
import { ServiceError } from "../service-error.ts";
import { ownedProjects } from "./suspensions.ts";

/**
 * Deletes an account and erases everything that is stored about its person. If an earlier call was interrupted, it
 * continues with the rest. Its tokens are refused from the first write on. The same person may sign up again, with a
 * new account.
 *
 * @throws ServiceError `projects_left`, which names them; `account_required` if nothing is left to erase
 */
export async function deleteAccount(
  { person, account }: { person: Identity; account: Account | undefined },
  now: Date,
): Promise<void> {
  await deleteWhole(accountKey(person.issuer, person.uid), account, now);
}

/**
 * The same for a person who cannot sign in, which only the operator does. A suspended account stays, as evidence.
 *
 * @param deletesProjects whether its projects are deleted first, as their owner would
 * @returns whether the games' edge has their deletion
 * @throws ServiceError `account_suspended`, `project_suspended`, `projects_left`; `account_required` if nothing is left to erase
 */
export async function eraseForPerson(
  key: string,
  { deletesProjects }: { readonly deletesProjects: boolean },
  now: Date,
): Promise<EdgeState> {
  const deleted: string[] = [];
  await retryOnConflict(async () => {
    const account = await readAccount(key);
    if (account?.suspension)
      throw new ServiceError("account_suspended", { detail: "The account is suspended: restore it first." });
    const erased = account && deletesProjects ? { ...account, projectCount: 0 } : account;
    if (erased !== account) deleted.push(...(await deleteProjects(key, now)));
    await deleteWhole(key, erased, now);
  });
  return await bringToEdge({ slugs: deleted }, now);
}

/** Deletes all projects of an account, or none if one is suspended. */
async function deleteProjects(key: string, now: Date): Promise<string[]> {
  // One that was handed over meanwhile is another account's.
  const projects = (await ownedProjects(key)).filter((one) => one.ownerKey === key && one.deletedAt === undefined);
  const suspended = projects.find(({ suspension }) => suspension !== undefined);
  if (suspended) {
    const detail = `The project ${suspended.slug} is suspended: take it down or restore it first.`;
    throw new ServiceError("project_suspended", { detail });
  }
  for (const project of projects) await markProjectDeleted(project, { by: undefined, token: undefined, now });
  return projects.map(({ slug }) => slug);
}

async function deleteWhole(key: string, account: Account | undefined, now: Date): Promise<void> {
  if (account === undefined && !(await isErasing(key))) throw new ServiceError("account_required");
  if (account && account.projectCount > 0) throw await projectsLeft(account);
  if (account) await removeAccount(account, now);
  // Nobody can make it a member any more.
  await leaveProjects(key, now);
  await leaveTeams(key, now);
  await eraseAccount(key, now);
}

async function projectsLeft({ key }: Account): Promise<ServiceError> {
  const slugs = await readOwnedSlugs(key);
  const detail = `The account has ${slugs.join(", ")}. Delete these projects or hand them over, then delete the account.`;
  return new ServiceError("projects_left", { detail });
}
