import type { Interfaces } from "@oclif/core";
import { type UserError, usageError } from "./errors.ts";
import { closest, commandLine, editDistance, withProject } from "./suggest.ts";

/**
 * The error for a command line whose words name no command, with the nearest command and the same arguments as a suggestion.
 *
 * @returns undefined if the words name a command or a topic
 */
export function wrongWords(argv: readonly string[], config: Interfaces.Config): UserError | undefined {
  const all = argv[0] === "help" ? argv.slice(1) : argv;
  const words = leadingWords(all);
  if (words.length === 0) return argv[0]?.startsWith("-") ? flagsFirst() : undefined;
  if (config.findTopic(words.join(":"))) return undefined;
  const named = beginnings(words).find((beginning) => config.findCommand(beginning.join(":")));
  if (named === undefined) return unknownCommand(all, words, config);
  const [extra] = words.slice(named.length);
  const { args = {}, flags = {} } = config.findCommand(named.join(":")) ?? {};
  if (extra === undefined || Object.keys(args).length > 0) return undefined;
  if (Object.hasOwn(otherWords, [...named, extra].join(" "))) return unknownCommand(all, [...named, extra], config);
  return unexpectedWord(extra, "project" in flags ? [...named, ...withProject(all.slice(named.length), 0)] : undefined);
}

function leadingWords(argv: readonly string[]): readonly string[] {
  const end = argv.findIndex((word) => word.startsWith("-"));
  return end === -1 ? argv : argv.slice(0, end);
}

/** The longest first. */
function beginnings(words: readonly string[]): readonly (readonly string[])[] {
  return words.map((_, index) => words.slice(0, words.length - index));
}

function flagsFirst(): UserError {
  return usageError("The command comes first, then its flags.", {
    code: "unknown_command",
    next: "svc --help lists all commands.",
  });
}

/** What people type for these commands, and for what only a person may do in the dashboard: `-p` if a project follows. */
const otherWords: Readonly<Record<string, string>> = {
  deploy: "publish",
  push: "publish",
  upload: "publish",
  signin: "login",
  signout: "logout",
  auth: "login",
  undo: "rollback",
  revert: "rollback",
  list: "projects list",
  create: "projects create",
  new: "init",
  play: "open",
  serve: "dev",
  start: "dev",
  unpublish: "offline",
  token: "open tokens",
  tokens: "open tokens",
  invite: "open members",
  people: "members",
  leave: "open members -p",
  "members edit": "open members",
  "publishers add": "open publishers",
  delete: "open delete -p",
  "projects delete": "open delete -p",
  "projects restore": "open projects",
  "releases delete": "open releases",
};

function unknownCommand(argv: readonly string[], words: readonly string[], config: Interfaces.Config): UserError {
  const meant = meantCommand(words, config);
  if (meant === undefined)
    return usageError(`svc has no command ${words[0]}.`, {
      code: "unknown_command",
      next: "svc --help lists all commands.",
    });
  const { typed, command } = meant;
  const suggestion = commandLine(meantLine(command, argv.slice(typed.length), config));
  return usageError(`svc has no command ${typed.join(" ")}. Did you mean ${suggestion}?`, {
    code: "unknown_command",
    next: suggestion,
  });
}

/** The command with what was typed after it; of what only the dashboard does, the project alone. */
function meantLine(command: string, rest: readonly string[], config: Interfaces.Config): readonly string[] {
  if (command.startsWith("open ")) {
    const flag = rest.findIndex((word) => word === "-p" || word === "--project");
    const place = command.replace(/ -p$/, "");
    const [first] = place === command ? [] : leadingWords(rest);
    const project = flag === -1 ? first : rest[flag + 1];
    return project === undefined ? [place] : [place, "-p", project];
  }
  const { args = {}, flags = {} } = config.findCommand(command.replaceAll(" ", ":")) ?? {};
  return [command, ...("project" in flags ? withProject(rest, Object.keys(args).length) : rest)];
}

/** The command that people mean by these words, and the words that stand for it. */
function meantCommand(words: readonly string[], config: Interfaces.Config) {
  for (const typed of beginnings(words)) {
    const command = Object.hasOwn(otherWords, typed.join(" ")) ? otherWords[typed.join(" ")] : undefined;
    if (command !== undefined) return { typed, command };
  }
  const names = config.commands.filter(({ hidden }) => !hidden).map(({ id }) => id.replaceAll(":", " "));
  return beginnings(words)
    .flatMap((typed) => {
      const command = closest(
        typed.join(" "),
        names.filter((name) => name.split(" ").length === typed.length),
      );
      return command === undefined ? [] : [{ typed, command }];
    })
    .toSorted((a, b) => editDistance(a.typed.join(" "), a.command) - editDistance(b.typed.join(" "), b.command))[0];
}

/** @param meant the words that were probably meant */
function unexpectedWord(word: string, meant: readonly string[] | undefined): UserError {
  if (meant === undefined)
    return usageError(`Unexpected argument: ${word}`, { next: "Add --help to see what the command takes." });
  const line = commandLine(meant);
  return usageError(`Unexpected argument: ${word}. Did you mean ${line}?`, { next: line });
}
