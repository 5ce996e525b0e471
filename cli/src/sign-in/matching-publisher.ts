import { jobEvents, pipelineSources, publicIssuers, usualEvents } from "../../../contract/api/ci-jobs.ts";
import { printable } from "../text.ts";

type Claims = Readonly<Record<string, unknown>>;

/**
 * What the project's owner would enter in the dashboard to trust the job that has this identity token.
 *
 * @returns undefined if no publisher can match it, or the token cannot be read
 */
export function matchingPublisher(identityToken: string, slug: string): string | undefined {
  const claims = claimsOf(identityToken);
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
  return `Its owner can add this publisher in the dashboard, which svc publishers add --project ${slug} opens: ${printable(all.join(", "))}.`;
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
  const host = iss === publicIssuers.github ? "https://github.com" : iss;
  const file = fileOf(claims["job_workflow_ref"], `${repository}/`);
  const events = isOneOf(usualEvents, event) ? [] : [`event ${event}`];
  return [`repository ${host}/${repository} (number ${id}, owner ${owner})`, `workflow file ${file}`, ...events];
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

/** The file of a reference such as `owner/name/.github/workflows/publish.yml@refs/heads/main`. */
function fileOf(reference: unknown, repository: string): string {
  const [path = ""] = String(reference ?? "").split("@");
  return path.slice(path.indexOf(repository) + repository.length);
}
