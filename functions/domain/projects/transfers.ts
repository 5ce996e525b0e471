import { dayMilliseconds, limits } from "../../../contract/limits.ts";
import { readLedger } from "../../table/projects/ledger.ts";
import { handOver, removeOffer, setOffer } from "../../table/projects/transfers.ts";
import { findUser } from "../accounts/accounts.ts";
import type { Actor } from "../authentication.ts";
import type { Project } from "../entities.ts";
import { ServiceError } from "../service-error.ts";
import { ownedStill, refusalBy } from "./projects.ts";
import { assertRoomInAccount, usedOf } from "./quota.ts";
import { assertNotSuspended } from "./state.ts";

const maximumAttempts = 10;

type Caller = Actor & { readonly project: Project };

/**
 * Offers a project to another user, who can accept as a developer. An offer to somebody else is replaced; one to the same user
 * stays as it is until it expires, so a request that is sent again is one offer.
 *
 * @throws ServiceError `user_not_found`; `validation_failed` for the owner's own uid; those of {@link ownedStill}
 */
export async function offerProject({ account, project }: Caller, toUid: string, now: Date): Promise<Project> {
  const { key } = await findUser(toUid);
  if (key === account.key)
    throw new ServiceError("validation_failed", { errors: [{ pointer: "/to", detail: "is your own uid" }] });
  const standing = project.transfer?.toKey === key && project.transfer.expiresAt > now.toISOString();
  if (standing) return project;
  const expiresAt = new Date(now.getTime() + limits.transferOfferDays * dayMilliseconds).toISOString();
  const transfer = { toKey: key, toUid, expiresAt };
  const offered = await setOffer(project, transfer, now);
  if (offered.outcome === "stored") return { ...project, transfer };
  ownedStill(offered.project, project);
  throw new ServiceError("temporarily_unavailable");
}

/**
 * Withdraws the offer of a project; nobody can accept it any more.
 *
 * @throws ServiceError those of {@link ownedStill}
 */
export async function withdrawOffer({ project }: Caller): Promise<void> {
  if (project.transfer === undefined) return;
  const removed = await removeOffer(project);
  if (removed.outcome === "stored") return;
  ownedStill(removed.project, project);
  throw new ServiceError("temporarily_unavailable");
}

/**
 * Makes the account to which a project is offered its owner. Every request by the previous owner is refused from then on,
 * whatever its credential.
 *
 * @throws ServiceError `transfer_not_found` where the offer is over by now, `project_suspended`; `project_limit_reached`,
 *   `quota_exceeded`, `account_required`, `account_suspended`, `developer_required`
 */
export async function acceptOffer({ account, project: read }: Caller, now: Date): Promise<Project> {
  let project = read;
  for (let attempt = 0; attempt < maximumAttempts; attempt += 1) {
    const accepted = await handOver(project, { toKey: account.key, used: usedOf(project) }, now);
    if (accepted.outcome === "handed_over") {
      const { transfer: _, ...rest } = project;
      return { ...rest, ownerKey: account.key };
    }
    if (accepted.outcome === "account_refused") throw refusalBy(accepted.account);
    if (accepted.outcome === "account_full") assertRoomInAccount(await readLedger(account.key), usedOf(project));
    else project = offeredStill(accepted.project, account.key, now);
  }
  throw new ServiceError("temporarily_unavailable");
}

/** Something was opened in it, or swept, since it was read. */
function offeredStill(project: Project | undefined, toKey: string, now: Date): Project {
  const offer = project?.transfer;
  if (project === undefined || offer?.toKey !== toKey || offer.expiresAt <= now.toISOString())
    throw new ServiceError("transfer_not_found");
  assertNotSuspended(project);
  return project;
}
