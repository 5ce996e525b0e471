import { codeBlocks } from "./documents.ts";

const yamlOf = (document: string) =>
  codeBlocks(document).flatMap(({ language, text }) => (language === "yaml" ? [text] : []));

const [withToken = "", publishJob = "", withPreviews = ""] = yamlOf("docs/github-actions.md");
const beforePublish = withToken.slice(0, withToken.indexOf("  publish:\n    needs:"));
const buildJob = beforePublish.slice(beforePublish.indexOf("  build:\n"));

/**
 * The workflows that docs/github-actions.md shows: the second one has another job at the end of the first, the third one the first one's
 * job `build`, which it skips if the pull request was closed.
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
];

/** The pipeline of docs/gitlab.md, and its jobs of previews. */
export const [documentedPipeline = "", , documentedPreviews = ""] = yamlOf("docs/gitlab.md");
