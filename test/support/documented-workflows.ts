import { type WorkflowPublisher, workflowOf } from "../../dashboard/src/views/publishers/workflow.ts";
import { codeBlocks } from "./documents.ts";

const yamlOf = (document: string) =>
  codeBlocks(document).flatMap(({ language, text }) => (language === "yaml" ? [text] : []));

const [withToken = "", publishJob = "", withPreviews = ""] = yamlOf("docs/github-actions.md");
const beforePublish = withToken.slice(0, withToken.indexOf("  publish:\n    needs:"));
const buildJob = beforePublish.slice(beforePublish.indexOf("  build:\n"));

/** Other values that the file names. */
const values = { project: "star-hopper", owner: "ada-uid-1", folder: "build/web" };

/** The file that the dashboard shows for jobs of GitHub, made of the documents; as the form proposes them, but for `changes`. */
export function shownWorkflow(changes: Partial<Extract<WorkflowPublisher, { provider: "github" }>> = {}): string {
  const events = ["push", "release", "workflow_dispatch"] as const;
  const publisher = { provider: "github", environment: "production", events, ...changes } as const;
  return workflowOf(publisher, yamlOf("docs/github-actions.md"), values);
}

/** The same for jobs of GitLab. */
export function shownPipeline(environment: string | null = "production", owner = values.owner): string {
  return workflowOf({ provider: "gitlab", environment }, yamlOf("docs/gitlab.md"), { ...values, owner });
}

/**
 * The workflows that docs/github-actions.md shows: the second one has another job at the end of the first, the third one the first one's
 * job `build`, which it skips if the pull request was closed. The dashboard shows another one.
 */
export const documentedWorkflows: readonly (readonly [name: string, text: string])[] = [
  ["with a token", withToken],
  ["with an identity", beforePublish + publishJob],
  [
    "of pull requests",
    withPreviews.replace(
      "jobs:\n",
      () => `jobs:\n${buildJob.replace(":\n", ":\n    if: github.event.action != 'closed'\n")}`,
    ),
  ],
  ["that the dashboard shows", shownWorkflow()],
];

/** The pipeline of docs/gitlab.md, and its jobs of previews. */
export const [documentedPipeline = "", , documentedPreviews = ""] = yamlOf("docs/gitlab.md");
