import * as fs from "node:fs";
import type { ReleaseDescription } from "./publish/publish.ts";
import { systemReason } from "./system-error.ts";
import { printable } from "./text.ts";

type Source = NonNullable<ReleaseDescription["source"]>;

/** The commit that a job of GitHub Actions or GitLab CI works on, with the page of the job; undefined elsewhere. */
export function sourceOfJob(environment: NodeJS.ProcessEnv): Source | undefined {
  if (environment["GITHUB_ACTIONS"] === "true") {
    const { GITHUB_SHA, GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID } = environment;
    return source(GITHUB_SHA, `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`);
  }
  if (environment["GITLAB_CI"] === "true") return source(environment["CI_COMMIT_SHA"], environment["CI_JOB_URL"]);
  return undefined;
}

/** What the API would refuse is left out: a job must not fail because its variables have another form. */
function source(commit: string | undefined, page: string | undefined): Source | undefined {
  if (!/^[0-9a-f]{7,64}$/.test(commit ?? "")) return undefined;
  return { commit: commit ?? "", ...(isHttps(page) && { run_url: page }) };
}

function isHttps(text: string | undefined): text is string {
  return text !== undefined && /^https:\/\/[a-z0-9-]+(\.[a-z0-9-]+)+\/[!-~]*$/.test(text) && text.length <= 2_048;
}

export interface PublishedRelease {
  readonly slug: string;
  readonly release: string;
  readonly url: string;
  /** Whether it was not live before. */
  readonly isNew: boolean;
}

/**
 * In a job of GitHub Actions: a line in the summary of the job, and the outputs `url` and `release` of the step.
 *
 * @returns why that could not be written, where it could not: the release is live all the same
 */
export function tellGitHub(environment: NodeJS.ProcessEnv, published: PublishedRelease): string | undefined {
  if (environment["GITHUB_ACTIONS"] !== "true") return undefined;
  const { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary } = environment;
  // A line break would be another output; what would be HTML or a link of its own is no part of a slug, an ID or a URL.
  const plain = (text: string) => printable(text).replace(/[<>`[\]()|\\ ]/g, "");
  const { slug, release, url } = { ...published, ...mapped(published, plain) };
  const line = published.isNew ? `is live as release \`${release}\`` : `was live already as release \`${release}\``;
  try {
    if (output) fs.appendFileSync(output, `url=${url}\nrelease=${release}\n`);
    if (summary) fs.appendFileSync(summary, `[${slug}](${url}) ${line}.\n`);
    return undefined;
  } catch (error) {
    return `The outputs of this step could not be written: ${systemReason(error)}.`;
  }
}

function mapped({ slug, release, url }: PublishedRelease, change: (text: string) => string) {
  return { slug: change(slug), release: change(release), url: change(url) };
}
