import { createHash } from "node:crypto";
import { statementType } from "../../../contract/api/attestations.ts";
import type { Project } from "../../entities/project.ts";
import type { Release, StatementSignature } from "../../entities/release.ts";
import { readManifest } from "../../files/manifests.ts";
import { signDigest, signingKeyId } from "../../signing/kms.ts";
import { keepSignature } from "../../table/releases/release-items.ts";
import { playUrl } from "../projects/play-url.ts";
import { findProject } from "../projects/projects.ts";
import { findRelease } from "../releases/releases.ts";
import { ServiceError } from "../service-error.ts";
import { shownRun } from "./shown-run.ts";
import { namesFiles, statementOf } from "./statement.ts";

/** A statement with its signature. */
export interface Attestation {
  readonly statement: string;
  readonly signature: StatementSignature;
}

/**
 * The attestation of a release. It is signed when it is asked for first, or for the first time after the stage got another key, and
 * kept: a publication does not depend on KMS, and nobody makes the service sign the same statement again and again.
 *
 * @throws ServiceError `release_not_found`; `attestation_not_found` if no trusted publisher's job has uploaded it and made it live,
 *   or it was withdrawn; `temporarily_unavailable` if KMS does not sign
 */
export async function findAttestation(project: Project, releaseId: string, now: Date): Promise<Attestation> {
  const { slug } = project;
  const release = await findRelease(slug, releaseId, now);
  const first = release.firstPublished;
  if (first?.run === undefined || release.withdrawnAt !== undefined) throw new ServiceError("attestation_not_found");
  const files = namesFiles(release) ? (await readManifest(slug, release.manifest)).files() : undefined;
  const statement = statementOf({
    slug,
    release,
    run: first.run,
    publishedAt: first.at,
    playUrl: playUrl(project),
    files,
  });
  return { statement, signature: await signatureOf(slug, release, statement) };
}

/**
 * The same of the live release, for everybody.
 *
 * @throws ServiceError also `project_not_found`, `project_taken_down`; `attestation_not_found` even if the project does not show it
 */
export async function findLiveAttestation(slug: string, now: Date): Promise<Attestation> {
  const project = await findProject(slug);
  if (project.currentRelease === undefined || shownRun(project) === undefined)
    throw new ServiceError("attestation_not_found");
  return await findAttestation(project, project.currentRelease.id, now);
}

async function signatureOf(slug: string, { id, attested }: Release, statement: string): Promise<StatementSignature> {
  const hash = createHash("sha256").update(preAuthenticationEncoding(statement)).digest();
  const digest = hash.toString("base64");
  const keyId = signingKeyId();
  if (attested?.digest === digest && attested.keyId === keyId) return attested;
  const signature = { keyId, digest, signature: (await signDigest(hash)).toString("base64") };
  await keepSignature(slug, id, signature);
  return signature;
}

/** What is signed (DSSE 1.0.2, "Signature Definition"). */
function preAuthenticationEncoding(statement: string): string {
  const lengths = [statementType, statement].map((text) => Buffer.byteLength(text));
  return `DSSEv1 ${lengths[0]} ${statementType} ${lengths[1]} ${statement}`;
}
