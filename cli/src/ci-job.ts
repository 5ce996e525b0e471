import * as fs from "node:fs";
import type { ReleaseDescription } from "../../publisher/release.ts";
import { systemReason } from "./system-error.ts";
import { printable } from "./text.ts";

type Source = NonNullable<ReleaseDescription["source"]>;

/** The commit and the page of the GitHub Actions or GitLab CI job that runs this process; undefined elsewhere. */
export function sourceOfJob(environment: NodeJS.ProcessEnv): Source | undefined {
  if (environment["GITHUB_ACTIONS"] === "true") {
    const { GITHUB_SHA, GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID } = environment;
    return source(GITHUB_SHA, `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`);
  }
  if (environment["GITLAB_CI"] === "true") return source(environment["CI_COMMIT_SHA"], environment["CI_JOB_URL"]);
  return undefined;
}

/** Leaves out what the API would refuse: unusual variables must not fail the job. */
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
  /** False if this release was live already. */
  readonly isNew: boolean;
}

/**
 * In a GitHub Actions job, writes the outputs `url` and `release` of the step, and a line to the job's summary.
 *
 * @returns a warning if they could not be written: the release is live, so this is no error
 */
export function writeJobOutputs(environment: NodeJS.ProcessEnv, published: PublishedRelease): string | undefined {
  if (environment["GITHUB_ACTIONS"] !== "true") return undefined;
  const { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary } = environment;
  // A line break would start another output. The other characters could make HTML or a link in the summary.
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
