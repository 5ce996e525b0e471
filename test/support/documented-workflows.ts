import { codeBlocks } from "./documents.ts";

const yamlOf = (document: string) =>
  codeBlocks(document).flatMap(({ language, text }) => (language === "yaml" ? [text] : []));

const [withToken = "", publishJob = ""] = yamlOf("docs/github-actions.md");

/** The workflows that docs/github-actions.md shows: the second one has another job at the end of the first. */
export const documentedWorkflows: readonly (readonly [name: string, text: string])[] = [
  ["with a token", withToken],
  ["with an identity", withToken.slice(0, withToken.indexOf("  publish:\n    needs:")) + publishJob],
];

/** The pipeline of docs/gitlab.md. */
export const [documentedPipeline = ""] = yamlOf("docs/gitlab.md");
