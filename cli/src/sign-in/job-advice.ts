import { jobEvents, pipelineSources, serverOf, usualEvents } from "../../../contract/api/projects/ci-jobs.ts";
import { printable } from "../text.ts";

type Claims = Readonly<Record<string, unknown>>;

/**
 * Advice for a job that no publisher trusts: what the project's owner would enter in the dashboard, or what to change
 * in a job that no publisher can match.
 *
 * @returns undefined if what started the job is never trusted, or the token cannot be read
 */
export function adviceFor(identityToken: string, slug: string): string | undefined {
  const claims = claimsOf(identityToken);
  const elsewhere = claims && fileElsewhere(claims);
  if (elsewhere !== undefined) return elsewhere;
  const fields = claims && ("repository_id" in claims ? githubFields(claims) : gitlabFields(claims));
  if (claims === undefined || fields === undefined) return undefined;
  const { environment, ref_protected: isProtected } = claims;
  const isPullRequest = claims["event_name"] === "pull_request";
  const needsNoProtection = !environment && isProtected !== "true" && !isPullRequest;
  const all = [
    ...fields,
    ...(isPullRequest ? ["previews alone"] : []),
    ...(environment ? [`environment ${environment}`] : []),
    ...(needsNoProtection ? ["any branch (better: protect the branch, or use an environment)"] : []),
  ];
  return `Its owner can add this publisher in the dashboard, which svc open publishers --project ${slug} opens: ${printable(all.join(", "))}.`;
}

function claimsOf(token: string): Claims | undefined {
  try {
    return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}

function githubFields(claims: Claims): string[] | undefined {
  const { iss, repository, repository_id: id, repository_owner_id: owner, event_name: event } = claims;
  if (!isOneOf(jobEvents, event)) return undefined;
  const file = fileOf(claims["workflow_ref"], `${repository}/`);
  const events = isOneOf(usualEvents, event) ? [] : [`event ${event}`];
  return [
    `repository ${serverIn(iss)}/${repository} (number ${id}, owner ${owner})`,
    `workflow file ${file}`,
    ...events,
  ];
}

function isOneOf(values: readonly unknown[], value: unknown): boolean {
  return values.includes(value);
}

function gitlabFields(claims: Claims): string[] | undefined {
  const { iss, project_path: path, project_id: id, namespace_id: owner, pipeline_source: source } = claims;
  if (id === undefined || !pipelineSources.includes(source)) return undefined;
  const file = fileOf(claims["ci_config_ref_uri"], `${path}//`);
  return [`project ${iss}/${path} (number ${id}, group ${owner})`, `pipeline file ${file}`];
}

/** Advice if the job is written in another file than the one that starts it: a publisher names one file, for both. */
function fileElsewhere(claims: Claims): string | undefined {
  const {
    repository,
    workflow_ref: own,
    job_workflow_ref: written,
    project_path: path,
    ci_config_ref_uri: uri,
  } = claims;
  if ("repository_id" in claims && written !== undefined && pathOf(own) !== pathOf(written))
    return printable(
      `The job is written in the reusable workflow ${pathOf(written)}, which no publisher can name. Let that workflow build, and write the ` +
        `job that publishes into ${fileOf(own, `${repository}/`)}, with the build as an artifact.`,
    );
  if (path !== undefined && uri !== undefined && !pathOf(uri).includes(`/${path}//`))
    return printable(
      `The pipeline's file is ${pathOf(uri)}, which is not in the project. Write the job that publishes into a file of ${path} itself.`,
    );
  return undefined;
}

function serverIn(issuer: unknown): string {
  return URL.canParse(String(issuer)) ? serverOf(String(issuer)) : String(issuer);
}

function pathOf(reference: unknown): string {
  return String(reference ?? "").split("@")[0] ?? "";
}

/** The file of a reference such as `owner/name/.github/workflows/publish.yml@refs/heads/main`. */
function fileOf(reference: unknown, repository: string): string {
  const path = pathOf(reference);
  return path.slice(path.indexOf(repository) + repository.length);
}
