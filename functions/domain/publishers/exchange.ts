import { limits } from "../../../contract/api/limits.ts";
import { ConflictError, retryOnConflict } from "../../conflict.ts";
import type { Project } from "../../entities/project.ts";
import type { JobIdentity, TrustedPublisher } from "../../entities/publisher.ts";
import type { Token } from "../../entities/token.ts";
import { tokenIdOf } from "../../table/keys.ts";
import { readProject } from "../../table/projects/project-items.ts";
import { insertJobToken } from "../../table/publishers/job-tokens.ts";
import type { IssuedToken } from "../login/authorization-codes.ts";
import { ServiceError } from "../service-error.ts";
import { RawToken } from "../tokens/raw-token.ts";
import { matchingPublisher } from "./matching.ts";
import { createPendingProject } from "./pending-publishers.ts";
import { runOf } from "./runs.ts";

/**
 * Exchanges the identity of a CI job for a token that publishes one project for 15 minutes. It is none of the account's 50 tokens, and
 * is revoked with its publisher. A project that does not exist is created if a pending publisher matches. An identity token is exchanged once.
 *
 * @throws ServiceError `invalid_target` if the project does not exist, or cannot be changed now; `invalid_request` if no publisher
 *   matches, naming the claim, or if the identity token was exchanged before; `account_suspended`
 */
export async function exchangeJobIdentity(job: JobIdentity, slug: string, now: Date): Promise<IssuedToken> {
  return await retryOnConflict(async () => {
    const existing = await readProject(slug);
    // The retry finds it.
    if (isAbsent(existing) && (await createPendingProject(slug, job, now))) throw new ConflictError();
    const project = targetOf(existing, slug);
    const publisher = matchingPublisher(project, job);
    const rawToken = RawToken.generate(project.ownerKey);
    const token = newToken(project, publisher, { job, rawToken, now });
    const refused = await insertJobToken({ project, token, job, now });
    if (refused === "spent") throw spentBefore();
    if (refused === "account") throw new ServiceError("account_suspended");
    return { token, rawToken };
  });
}

/** A deleted project, of which nothing may be left, can be followed by another one. */
function isAbsent(project: Project | undefined): boolean {
  return project === undefined || (project.sweptAt !== undefined && project.suspension === undefined);
}

/** @throws ServiceError `invalid_target` */
function targetOf(project: Project | undefined, slug: string): Project {
  const refused = (detail: string) => new ServiceError("invalid_target", { detail });
  if (project === undefined) throw refused(`No project is called ${slug}. ${createIt}`);
  if (project.deletedAt !== undefined) throw refused(`The project ${slug} is deleted.`);
  if (project.suspension) throw refused(`The operator has suspended the project ${slug}.`);
  return project;
}

const createIt = "Create it, or name the jobs that may create it with POST /publishers.";

function spentBefore(): ServiceError {
  const detail =
    "The job's identity token was exchanged already, and each is exchanged once. Request a new one from the CI provider.";
  return new ServiceError("invalid_request", { reason: "jti: exchanged before", detail });
}

function newToken(
  { slug, ownerKey, publisherEpoch = 0 }: Project,
  { id: publisherId }: TrustedPublisher,
  { job, rawToken, now }: { readonly job: JobIdentity; readonly rawToken: RawToken; readonly now: Date },
): Token {
  const run = runOf(job);
  return {
    id: tokenIdOf(rawToken.hash),
    accountKey: ownerKey,
    hash: rawToken.hash.toString("base64"),
    name: `CI of ${run.repository}`.slice(0, limits.nameLength),
    scopes: ["publish"],
    projects: [slug],
    hint: rawToken.hint,
    createdAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + limits.jobTokenSeconds * 1_000).toISOString(),
    job: { publisherId, publisherEpoch, run },
  };
}
