import type { Account, Identity } from "../../entities/account.ts";
import { eraseAccount, isErasing, removeAccount } from "../../table/accounts/deletion-items.ts";
import { accountKey } from "../../table/keys.ts";
import { readOwnedSlugs } from "../../table/projects/project-items.ts";
import { leaveProjects } from "../projects/members.ts";
import { ServiceError } from "../service-error.ts";

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
  const key = accountKey(person.issuer, person.uid);
  if (account === undefined && !(await isErasing(key))) throw new ServiceError("account_required");
  if (account && account.projectCount > 0) throw await projectsLeft(account);
  if (account) await removeAccount(account, now);
  // Nobody can make it a member any more.
  await leaveProjects(key, now);
  await eraseAccount(key, now);
}

async function projectsLeft({ key }: Account): Promise<ServiceError> {
  const slugs = await readOwnedSlugs(key);
  const detail = `The account has ${slugs.join(", ")}. Delete these projects or hand them over, then delete the account.`;
  return new ServiceError("projects_left", { detail });
}
