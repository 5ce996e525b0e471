import { type JobProvider, serverOf } from "../../contract/api/projects/ci-jobs.ts";
import type { Configuration } from "./configuration.ts";
import type { Release } from "./resources.ts";

/** A repository, as its URL names it. */
export interface Repository {
  readonly provider: JobProvider;
  /** `owner/name`, at GitLab with every group. */
  readonly path: string;
  /** The `iss` of its jobs, if it is a self-hosted one. */
  readonly issuer?: string;
}

/** The numbers that a publisher is compared by. */
export interface Numbers {
  readonly repository: string;
  /** At GitLab the group or user. */
  readonly owner: string;
}

/** Hosts that are asked, without a credential, about a public repository. site.ts allows the page to ask them. */
const publicHosts = {
  "github.com": { provider: "github", question: (path: string) => `https://api.github.com/repos/${path}` },
  "gitlab.com": {
    provider: "gitlab",
    question: (path: string) => `https://gitlab.com/api/v4/projects/${encodeURIComponent(path)}`,
  },
} as const;

/** Paths with only what both providers allow in names, so that they are safe in a URL and in a command. */
const paths = {
  github: /^[\w-]+\/[\w.-]+(?=\/|$)/,
  gitlab: /^[\w.-]+(\/[\w.-]+)+/,
};

/**
 * Reads what people copy: a page of the repository, or what `git clone` takes.
 *
 * @returns undefined if it is none of a provider that the stage knows
 */
export function repositoryOf(
  text: string,
  { jobIssuers = {} }: Pick<Configuration, "jobIssuers">,
): Repository | undefined {
  const matched = /^(?:https?:\/\/|ssh:\/\/)?(?:[^/@\s]+@)?([\w.-]+)(?::\d+)?[/:]([^?#\s]+)/.exec(text.trim());
  const [, host = "", rest = ""] = matched ?? [];
  const site = issuerOf(host.toLowerCase().replace(/^www\./, ""), jobIssuers);
  if (site === undefined) return undefined;
  // GitLab's pages of a project are below `/-/`.
  const [project = ""] = rest.split("/-/");
  const path = paths[site.provider].exec(project.replace(/(?<!\/)\/+$/, ""))?.[0].replace(/\.git$/, "");
  return path === undefined ? undefined : { ...site, path };
}

function issuerOf(
  host: string,
  issuers: NonNullable<Configuration["jobIssuers"]>,
): Omit<Repository, "path"> | undefined {
  if (Object.hasOwn(publicHosts, host)) return { provider: publicHosts[host as keyof typeof publicHosts].provider };
  for (const provider of ["github", "gitlab"] as const) {
    const issuer = issuers[provider]?.find((one) => new URL(serverOf(one)).hostname === host);
    if (issuer !== undefined) return { provider, issuer };
  }
  return undefined;
}

/**
 * Asks the provider for a public repository's numbers. Only a proposal for the form: whoever sends it decides.
 *
 * @returns undefined if the provider does not say them: it is private, does not exist, or the provider cannot be reached
 */
export async function numbersOf({ provider, path, issuer }: Repository): Promise<Numbers | undefined> {
  if (issuer !== undefined) return undefined;
  const { question } = publicHosts[`${provider}.com`];
  try {
    const response = await fetch(question(path), { credentials: "omit", signal: AbortSignal.timeout(10_000) });
    if (!response.ok) return undefined;
    const body = (await response.json()) as Record<string, { id?: unknown } | undefined> & { id?: unknown };
    return checked(body.id, (provider === "github" ? body["owner"] : body["namespace"])?.id);
  } catch {
    return undefined;
  }
}

function checked(...ids: readonly unknown[]): Numbers | undefined {
  if (!ids.every((id) => Number.isSafeInteger(id) && Number(id) > 0)) return undefined;
  const [repository, owner] = ids.map(String);
  return repository && owner ? { repository, owner } : undefined;
}

/**
 * The pages of a release's run and of its commit. The run's URL is the service's, made of the issuer's origin and of names; only
 * hosts whose jobs the stage trusts get a link, whatever the release says.
 *
 * @returns undefined for any other host, and for names that are none
 */
export function pagesOf(
  { provider, repository, commit, run_url: run }: NonNullable<Release["provenance"]>,
  { jobIssuers = {} }: Pick<Configuration, "jobIssuers">,
): { readonly run: string; readonly commit: string } | undefined {
  const origins = [`https://${provider}.com`, ...(jobIssuers[provider] ?? []).map(serverOf)];
  const origin = origins.find((one) => run.startsWith(`${one}/${repository}/`));
  const isNamed = paths[provider].exec(repository)?.[0] === repository && /^[0-9a-f]+$/.test(commit);
  if (origin === undefined || !isNamed) return undefined;
  const page = provider === "github" ? "commit" : "-/commit";
  return { run, commit: `${origin}/${repository}/${page}/${commit}` };
}

/** A command that prints both numbers, for whoever may read the repository. */
export function commandOf({ provider, path, issuer }: Repository): string {
  const host = issuer === undefined ? "" : ` --hostname ${new URL(serverOf(issuer)).hostname}`;
  return provider === "github"
    ? `gh api${host} repos/${path} --jq '.id, .owner.id'`
    : `glab api${host} projects/${encodeURIComponent(path)} | jq '.id, .namespace.id'`;
}
