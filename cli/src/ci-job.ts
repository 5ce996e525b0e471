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
  /** unchanged: this release was live already; waiting: a person makes it live. */
  readonly kind: "published" | "unchanged" | "waiting";
  /** Page on which a person makes it live. */
  readonly reviewUrl?: string | null | undefined;
  /** What `svc publish --check` measured, in Markdown. */
  readonly table?: string | undefined;
}

/**
 * In a GitHub Actions job, writes the outputs `url`, `release` and `status` of the step, and a line to the job's summary.
 *
 * @returns a warning if they could not be written: the release is live or waits, so this is no error
 */
export function writeJobOutputs(environment: NodeJS.ProcessEnv, published: PublishedRelease): string | undefined {
  if (environment["GITHUB_ACTIONS"] !== "true") return undefined;
  const { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary } = environment;
  // A line break would start another output. The other characters could make HTML or a link in the summary.
  const plain = (text: string) => printable(text).replace(/[<>`[\]()|\\ ]/g, "");
  const [slug, release, url] = [published.slug, published.release, published.url].map(plain);
  const shown = published.kind === "waiting" ? plain(published.reviewUrl ?? "") || url : url;
  const status = published.kind === "waiting" ? "waiting" : "live";
  try {
    if (output) fs.appendFileSync(output, `url=${url}\nrelease=${release}\nstatus=${status}\n`);
    const table = published.table === undefined ? "" : `\n${published.table}\n`;
    if (summary) fs.appendFileSync(summary, `[${slug}](${shown}) ${inSummary[published.kind](release)}.\n${table}`);
    return undefined;
  } catch (error) {
    return `The outputs of this step could not be written: ${systemReason(error)}.`;
  }
}

const inSummary = {
  published: (release) => `is live as release \`${release}\``,
  unchanged: (release) => `was live already as release \`${release}\``,
  waiting: (release) => `has release \`${release}\`, which waits for a person to make it live`,
} satisfies Record<PublishedRelease["kind"], (release: string | undefined) => string>;
