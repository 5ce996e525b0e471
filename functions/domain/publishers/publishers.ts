import { isDeepStrictEqual } from "node:util";
import { limits } from "../../../contract/api/limits.ts";
import type { TrustedJobs, TrustedPublisher } from "../../entities/publisher.ts";
import * as environment from "../../environment.ts";
import { newId } from "../../table/ids.ts";
import { storeAdded, storeRemoved } from "../../table/publishers/publisher-items.ts";
import { changeBy, type ProjectActor } from "../authentication.ts";
import { ServiceError } from "../service-error.ts";

/**
 * Lets CI jobs publish a project with their identity. Jobs that are trusted already stay so: a request that is sent again adds
 * nothing.
 *
 * @throws ServiceError `validation_failed` for an issuer that the stage does not know; `publisher_limit_reached`
 */
export async function createPublisher(actor: ProjectActor, jobs: TrustedJobs, now: Date): Promise<TrustedPublisher> {
  const { project } = actor;
  const { publishers = [] } = project;
  assertKnownIssuer(jobs, "/issuer");
  const existing = publishers.find((publisher) => isSame(publisher, jobs));
  if (existing) return existing;
  if (publishers.length >= limits.publishersPerProject) throw new ServiceError("publisher_limit_reached");
  const publisher = { ...jobs, id: newId(now), createdAt: now.toISOString() };
  await storeAdded(project, publisher, changeBy(actor, now));
  return publisher;
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

/** Whether both trust the same jobs, whatever the repository is called. */
export function isSame(
  { id: _, createdAt: __, repository: ___, ...trusted }: TrustedPublisher,
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
