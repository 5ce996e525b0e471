import { jobEvents, mergeRequestSources, publicIssuers, usualEvents } from "../../../contract/api/ci-jobs.ts";
import { printable } from "../text.ts";

type Claims = Readonly<Record<string, unknown>>;

/**
 * The command by which the project's owner would trust the job that has this identity token.
 *
 * @returns undefined where no publisher can match it, or the token cannot be read
 */
export function matchingPublisher(identityToken: string, slug: string): string | undefined {
  const claims = claimsOf(identityToken);
  const words = claims && ("repository_id" in claims ? githubWords(claims) : gitlabWords(claims));
  if (claims === undefined || words === undefined) return undefined;
  const { iss: issuer, environment, ref_protected: isProtected } = claims;
  const isPublic = Object.values<unknown>(publicIssuers).includes(issuer);
  const needsNoProtection = !environment && isProtected !== "true";
  const all = [
    ...["svc publishers add", ...words, "--project", slug],
    ...(environment ? ["--environment", environment] : []),
    ...(isPublic ? [] : ["--issuer", issuer]),
    ...(needsNoProtection ? ["--unprotected"] : []),
  ];
  const command = all.map((word, index) => (index === 0 ? word : quoted(String(word)))).join(" ");
  const better = needsNoProtection
    ? " Better: protect the branch, or use an environment, and leave --unprotected out."
    : "";
  return `This publisher would match the job; the project's owner can add it: ${command}${better}`;
}

function claimsOf(token: string): Claims | undefined {
  try {
    return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}

function githubWords(claims: Claims): unknown[] | undefined {
  const { repository, repository_id: id, repository_owner_id: owner, event_name: event } = claims;
  if (!isOneOf(jobEvents, event)) return undefined;
  const file = fileOf(claims["job_workflow_ref"], `${repository}/`);
  const events = isOneOf(usualEvents, event) ? [] : ["--event", event];
  return ["github", "--repository-id", id, "--owner-id", owner, "--file", file, "--name", repository, ...events];
}

function isOneOf(values: readonly unknown[], value: unknown): boolean {
  return values.includes(value);
}

function gitlabWords(claims: Claims): unknown[] | undefined {
  const { project_path: path, project_id: id, namespace_id: owner, pipeline_source: source } = claims;
  if (id === undefined || mergeRequestSources.includes(source)) return undefined;
  const file = fileOf(claims["ci_config_ref_uri"], `${path}//`);
  return ["gitlab", "--repository-id", id, "--owner-id", owner, "--file", file, "--name", path];
}

/** The file of a reference such as `owner/name/.github/workflows/publish.yml@refs/heads/main`. */
function fileOf(reference: unknown, repository: string): string {
  const [path = ""] = String(reference ?? "").split("@");
  return path.slice(path.indexOf(repository) + repository.length);
}

/** As a shell takes it. */
function quoted(word: string): string {
  const shown = printable(word);
  return /^[\w./:-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "")}'`;
}
