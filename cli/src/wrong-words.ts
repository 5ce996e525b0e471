import type { Interfaces } from "@oclif/core";
import { type UserError, usageError } from "./errors.ts";
import { closest } from "./suggest.ts";

/**
 * The error for a command line whose words name no command, with the nearest command as a suggestion.
 *
 * @returns undefined if the words name a command or a topic
 */
export function wrongWords(argv: readonly string[], config: Interfaces.Config): UserError | undefined {
  const words = leadingWords(argv[0] === "help" ? argv.slice(1) : argv);
  if (words.length === 0) return argv[0]?.startsWith("-") ? flagsFirst() : undefined;
  if (config.findTopic(words.join(":"))) return undefined;
  const named = words
    .map((_, index) => words.slice(0, words.length - index))
    .find((beginning) => config.findCommand(beginning.join(":")));
  if (named === undefined) return unknownCommand(words.join(" "), config);
  const [extra] = words.slice(named.length);
  const takesNoMore = Object.keys(config.findCommand(named.join(":"))?.args ?? {}).length === 0;
  return extra !== undefined && takesNoMore ? unexpectedWord(extra) : undefined;
}

function leadingWords(argv: readonly string[]): readonly string[] {
  const end = argv.findIndex((word) => word.startsWith("-"));
  return end === -1 ? argv : argv.slice(0, end);
}

function flagsFirst(): UserError {
  return usageError("The command comes first, then its flags.", {
    code: "unknown_command",
    next: "svc --help lists all commands.",
  });
}

/** Names that people use for these commands elsewhere. */
const otherWords: Readonly<Record<string, string>> = {
  deploy: "publish",
  push: "publish",
  upload: "publish",
  signin: "login",
  signout: "logout",
  undo: "rollback",
  revert: "rollback",
  list: "projects list",
  create: "projects create",
  new: "init",
  play: "open",
  serve: "dev",
  start: "dev",
  token: "tokens",
  auth: "login",
  unpublish: "offline",
};

function unknownCommand(typed: string, config: Interfaces.Config): UserError {
  const known = config.commandIDs.map((id) => id.replaceAll(":", " "));
  const meant = otherWords[typed] ?? closest(typed, known);
  return usageError(`svc has no command ${typed}.${meant === undefined ? "" : ` Did you mean ${meant}?`}`, {
    code: "unknown_command",
    next: meant === undefined ? "svc --help lists all commands." : `svc ${meant} --help`,
  });
}

function unexpectedWord(word: string): UserError {
  return usageError(`Unexpected argument: ${word}`, { next: "Add --help to see what the command takes." });
}
