import { limits } from "../../../contract/limits.ts";
import { eraseAccount, isErasing, removeAccount } from "../../table/accounts/deletion.ts";
import { accountKey } from "../../table/keys.ts";
import { readOwnedSlugs } from "../../table/projects/projects.ts";
import type { Account, Identity } from "../entities.ts";
import { ServiceError } from "../service-error.ts";

const maximumAttempts = 10;

/**
 * Deletes an account and erases everything that is stored about its person. Where an earlier call was interrupted, it
 * continues with the rest. Its tokens are refused from the first write on. The same person may sign up again, with a
 * new account.
 *
 * @throws ServiceError `projects_left`, which names them; `account_suspended`, `account_required`
 */
export async function deleteAccount(
  { person, account }: { person: Identity; account: Account | undefined },
  now: Date,
): Promise<void> {
  const key = accountKey(person.issuer, person.uid);
  if (account !== undefined) await endAccount(account, now);
  else if (!(await isErasing(key))) throw new ServiceError("account_required");
  await eraseAccount(key, now);
}

async function endAccount(read: Account, now: Date): Promise<void> {
  let account = read;
  for (let attempt = 0; attempt < maximumAttempts; attempt += 1) {
    if (account.suspension) throw new ServiceError("account_suspended");
    if (account.projectCount > 0) throw await projectsLeft(account);
    const refused = await removeAccount(account, now);
    // Without an account, another request has deleted it.
    if (refused?.account === undefined) return;
    account = refused.account;
  }
  throw new ServiceError("temporarily_unavailable");
}

async function projectsLeft({ key }: Account): Promise<ServiceError> {
  const { slugs } = await readOwnedSlugs(key, { limit: limits.projectsPerAccount });
  const detail = `The account has ${slugs.join(", ")}. Delete these projects or hand them over, then delete the account.`;
  return new ServiceError("projects_left", { detail });
}
