import { isDeepStrictEqual } from "node:util";
import { limits } from "../../../contract/api/limits.ts";
import type { Account } from "../../entities/account.ts";
import type { Project, ProjectRole } from "../../entities/project.ts";
import type { TrustedJobs, TrustedPublisher } from "../../entities/publisher.ts";
import * as environment from "../../environment.ts";
import { readAccounts } from "../../table/accounts/account-items.ts";
import { newId } from "../../table/ids.ts";
import { storeAdded, storeRemoved } from "../../table/publishers/publisher-items.ts";
import { changeBy, type ProjectActor } from "../authentication.ts";
import { roleIn } from "../projects/state.ts";
import { ServiceError } from "../service-error.ts";

/** A publisher, and who added it: undefined if the account is deleted. */
export type ShownPublisher = TrustedPublisher & {
  readonly adder: { readonly account: Account; readonly role: ProjectRole | undefined } | undefined;
};

/** Publishers of a project with those who added them, as far as their accounts are among these. */
export function withAdders(
  project: Project,
  publishers: readonly TrustedPublisher[],
  accounts: ReadonlyMap<string, Account>,
): ShownPublisher[] {
  return publishers.map((publisher) => {
    const account = accounts.get(publisher.addedBy);
    return { ...publisher, adder: account && { account, role: roleIn(project, account.key) } };
  });
}

/** Publishers of a project with those who added them. */
export async function showPublishers(
  project: Project,
  publishers: readonly TrustedPublisher[],
): Promise<ShownPublisher[]> {
  return withAdders(project, publishers, await readAccounts(publishers.map(({ addedBy }) => addedBy)));
}

/**
 * Lets CI jobs publish a project with their identity. Jobs that are trusted already stay so: a request that is sent again adds
 * nothing.
 *
 * @throws ServiceError `validation_failed` for an issuer that the stage does not know; `publisher_limit_reached`
 */
export async function createPublisher(actor: ProjectActor, jobs: TrustedJobs, now: Date): Promise<ShownPublisher> {
  const { project } = actor;
  const { publishers = [] } = project;
  assertKnownIssuer(jobs, "/issuer");
  const existing = publishers.find((publisher) => isSame(publisher, jobs));
  if (existing) {
    const [shown] = await showPublishers(project, [existing]);
    if (shown) return shown;
  }
  if (publishers.length >= limits.publishersPerProject) throw new ServiceError("publisher_limit_reached");
  const publisher = { ...jobs, id: newId(now), createdAt: now.toISOString(), addedBy: actor.account.key };
  await storeAdded(project, publisher, changeBy(actor, now));
  return { ...publisher, adder: { account: actor.account, role: roleIn(project, actor.account.key) } };
}

/**
 * Refuses an issuer that the stage does not know.
 *
 * @param pointer where it stands in the request
 * @throws ServiceError `validation_failed`
 */
export function assertKnownIssuer({ provider, issuer }: TrustedJobs, pointer: string): void {
  if (environment.jobIssuers()[provider].includes(issuer)) return;
  const detail = `is not an issuer of ${provider} jobs that this service knows: its operator adds self-hosted ones`;
  throw new ServiceError("validation_failed", { errors: [{ pointer, detail }] });
}

/** Whether both trust the same jobs, whatever the repository is called and whoever added them. */
export function isSame(
  { id: _, createdAt: __, repository: ___, addedBy: _____, ...trusted }: TrustedPublisher,
  jobs: TrustedJobs,
): boolean {
  const { repository: ____, ...asked } = jobs;
  return isDeepStrictEqual(trusted, asked);
}

/**
 * Removes a publisher. Tokens that its jobs got are refused from the next request on.
 *
 * @throws ServiceError `publisher_not_found`
 */
export async function deletePublisher(actor: ProjectActor, id: string, now: Date): Promise<void> {
  const { project } = actor;
  if (!project.publishers?.some((publisher) => publisher.id === id)) throw new ServiceError("publisher_not_found");
  await storeRemoved(project, id, changeBy(actor, now));
}
