import { createRelease, publishRelease } from "../api/releases/releases.ts";
import { createUploads } from "../api/releases/uploads.ts";
import type { Route } from "../api/route.ts";
import { getOpenApi } from "../api/service.ts";
import commandSummaries from "./commands.json" with { type: "json" };

/*
 * What a program that works for a person reads before it publishes a game: llms.txt (https://llmstxt.org) and a skill, with the same text.
 */

/** The URLs of a stage that its documents name. */
export interface StageUrls {
  readonly api: string;
  /** The package of the command line; undefined: the stage has no dashboard, which serves it. */
  readonly commandLine: string | undefined;
}

/** The documents by their names, which are their paths at a stage's API and dashboard. */
export type AgentDocuments = Readonly<Record<"llms.txt" | "SKILL.md", string>>;

/** The service that `npm start` runs. */
export const localStage: StageUrls = { api: "http://127.0.0.1:8787", commandLine: "http://127.0.0.1:8787/svc.tgz" };

/**
 * The documents of a stage.
 *
 * @param commands those of the help, by their words after `svc`, with their summaries
 */
export function agentDocuments(stage: StageUrls, commands: CommandSummaries = commandSummaries): AgentDocuments {
  const text = body(stage, commands);
  const header = ["---", "name: svc-publish", `description: ${description}`, "---", ""].join("\n");
  return {
    "llms.txt": `# svc\n\n> ${description}\n\n${text}`,
    "SKILL.md": `${header}\n# Publish a browser game with svc\n\n${text}`,
  };
}

type CommandSummaries = Readonly<Record<string, string>>;

/** A command as the command line has it. */
interface Command {
  readonly hidden: boolean;
  readonly summary?: string | undefined;
}

/** What commands.json has: the summary of each command that help lists, by its words after `svc`, made of all commands by their oclif ids. */
export function summariesOf(commands: Readonly<Record<string, Command>>): CommandSummaries {
  const listed = Object.entries(commands).filter(([, { hidden }]) => !hidden);
  const byWords = listed.map(([id, { summary = "" }]) => [id.replaceAll(":", " "), summary] as const);
  return Object.fromEntries(byWords.toSorted());
}

const description =
  "Publishes a folder with a browser game (index.html and its files) at an address of its own, shows it as a preview first, and rolls it back.";

/** As docs/cli.md has them. */
const exitCodes = [
  [0, "done"],
  [1, "failed"],
  [2, "wrong usage: the command line, or a value that the API refuses"],
  [4, "no token, or one that is refused or may not do this: a person has to sign in"],
  [5, "not measured: no browser is installed, or a profile has no frames"],
  [6, "conflict: the name is taken, or another release went live first"],
] as const;

function body({ api, commandLine }: StageUrls, commands: CommandSummaries): string {
  const list = Object.entries(commands).map(([words, summary]) => `- \`svc ${words}\`: ${summary}`);
  return `Use the command \`svc\` with \`--json\`: standard output is then JSON, and the exit code says whether it worked. Warnings are on standard error.
Set \`DIR\` to the folder of the build, not of the source, and \`PROJECT\` to the game's address: 3 to 40 of a-z, 0-9 and -.

## Install

Node 22.21 or later (of Node 24: 24.5 or later) is all it needs.

${install(commandLine)}

## Credential

A person signs in once, in a browser, by \`svc login --api ${api}\`; ask for that, and never for a token in a message. In CI the person sets
\`SVC_TOKEN\` as a secret. Then this works:

\`\`\`sh
export SVC_API=${api}
svc whoami --json
\`\`\`

## Publish

\`--create\` makes the project if the person has none of this name. The last line of the output is the result: \`play_url\` is where it is played, \`release\` is its id.

\`\`\`sh
svc publish "$DIR" --project "$PROJECT" --create --json
\`\`\`

## Preview

Shows a build at a URL of its own, \`play_url\`, for 7 days. What is live stays. \`release\` of the result makes it live later.

\`\`\`sh
svc publish "$DIR" --project "$PROJECT" --preview --json
\`\`\`

## Make a release live

\`\`\`sh
svc live "$RELEASE" --project "$PROJECT" --json
\`\`\`

## Roll back

Makes the release live that was live before.

\`\`\`sh
svc rollback --project "$PROJECT" --json
\`\`\`

## If it fails

With \`--json\` the output is \`{"error": {"code", "message", "next", "exit_code"}}\`: do what \`next\` says, or tell the person. Match on \`code\`, never on \`message\`.
A command can be repeated: it continues where it stopped.

${exitCodes.map(([code, meaning]) => `- ${code}: ${meaning}`).join("\n")}

## Commands

\`svc help\` lists them, \`svc help COMMAND\` explains each flag.

${list.join("\n")}

## Without the command line

The API's OpenAPI 3.1 document is at <${api}${getOpenApi.path}>. Publishing is four requests:

1. \`${requestLine(createRelease)}\`: ${createRelease.summary}.
2. \`${requestLine(createUploads)}\`: ${createUploads.summary}.
3. \`PUT\` of each missing file to its URL, with exactly the headers beside it.
4. \`${requestLine(publishRelease)}\`: ${publishRelease.summary}.
`;
}

function install(commandLine: string | undefined): string {
  return commandLine === undefined
    ? "This stage does not serve the package: ask the person for it."
    : `\`\`\`sh\nnpm install --global ${commandLine}\n\`\`\``;
}

function requestLine({ method, path }: Route): string {
  return `${method} ${path.replace(/:(\w+)/g, "{$1}")}`;
}
