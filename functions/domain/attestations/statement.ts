import { publicationType } from "../../../contract/api/attestations.ts";
import { limits } from "../../../contract/api/limits.ts";
import type { JobRun } from "../../entities/publisher.ts";
import type { Release } from "../../entities/release.ts";
import type { FileContent } from "../../files/manifests.ts";
import { repositoryUrl } from "./shown-run.ts";

/*
 * What the service states about a release: an in-toto Statement v1 (https://in-toto.io/Statement/v1) that a CI run has published it.
 * It is no SLSA provenance, which says how something was built: the service received an upload and saw no build. It follows from what
 * is stored alone, so that it is the same at each request.
 */

/** A release, the run that published it, and what its manifest says of its files. */
export interface AttestedRelease {
  readonly slug: string;
  readonly release: Pick<Release, "id" | "manifest">;
  readonly run: JobRun;
  /** When the run made it live. */
  readonly publishedAt: string;
  /** Where the project is played; null if the service has no domain for games. */
  readonly playUrl: string | null;
  /** Undefined if it has too many to name them. */
  readonly files: ReadonlyMap<string, FileContent> | undefined;
}

/** Whether a statement names each file of a release. */
export function namesFiles({ files }: Pick<Release, "files">): boolean {
  return files <= limits.attestedFiles;
}

/** The statement as it is signed. */
export function statementOf({ slug, release, run, publishedAt, playUrl, files = new Map() }: AttestedRelease): string {
  const subjects = [...files].map(([name, { sha256 }]: [string, FileContent]) => ({ name, digest: { sha256 } }));
  return JSON.stringify({
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: `${slug}/${release.id}`, digest: { sha256: release.manifest } }, ...subjects],
    predicateType: publicationType,
    predicate: { project: slug, release: release.id, publishedAt, playUrl, publisher: publisher(run) },
  });
}

/** What the provider signed of the run. `attempt` is GitHub's: a GitLab job that is retried is another job. */
function publisher(run: JobRun) {
  const { provider, repositoryId, ownerId, ref, commit, workflow, event, runner, runUrl, attempt } = run;
  return {
    provider,
    repository: repositoryUrl(run),
    repositoryId,
    ownerId,
    ref,
    commit,
    workflow,
    event,
    runner,
    run: runUrl,
    ...(attempt !== undefined && { attempt }),
  };
}
