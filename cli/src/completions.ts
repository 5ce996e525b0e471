import { readdirSync } from "node:fs";
import type { Command } from "@oclif/core/command";
import { openPlaces } from "./dashboard-places.ts";

/** A word that can follow, and what it means. */
export interface Completion {
  readonly word: string;
  readonly summary: string;
}

/** Names that only the API knows; empty if it cannot be reached. */
export interface RemoteNames {
  projects(): Promise<readonly Completion[]>;
  releases(): Promise<readonly Completion[]>;
}

export interface TypedLine {
  /** The words after `svc`, without the one under the cursor. */
  readonly before: readonly string[];
  /** The beginning of the word under the cursor. */
  readonly current: string;
}

/** Completions for the word under the cursor. Folders have a slash at the end. */
export async function complete(
  commands: readonly Command.Loadable[],
  { before, current }: TypedLine,
  remote: RemoteNames,
): Promise<readonly Completion[]> {
  const shown = commands.filter(({ hidden }) => !hidden);
  const { typed, pending } = readWords(shown, before);
  const isHelp = typed[0] === "help";
  const command = commandOf(shown, typed);
  const completions = async () => {
    if (pending !== undefined) return await valuesOf(pending, current, remote);
    if (current.startsWith("-")) return flagsOf(command, current.startsWith("--"));
    const next = nextWords(shown, isHelp ? typed.slice(1) : typed);
    return isHelp || command === undefined ? next : [...next, ...(await argumentsOf(command, current, remote))];
  };
  return (await completions()).filter(({ word }) => word.startsWith(current));
}

/** Separates words of the command from flags and their values. `pending` is a flag whose value is under the cursor. */
function readWords(commands: readonly Command.Loadable[], before: readonly string[]) {
  const typed: string[] = [];
  let pending: Command.Flag.Cached | undefined;
  for (const word of before) {
    if (pending !== undefined) pending = undefined;
    else if (word.startsWith("-")) pending = flagWithValue(commandOf(commands, typed), word);
    else typed.push(word);
  }
  return { typed, pending };
}

/** The command that the words name, with its arguments after it. */
function commandOf(commands: readonly Command.Loadable[], typed: readonly string[]): Command.Loadable | undefined {
  const isNamed = ({ id }: Command.Loadable) => id.split(":").every((part, index) => part === typed[index]);
  return commands.filter(isNamed).toSorted((a, b) => b.id.length - a.id.length)[0];
}

function flagWithValue(command: Command.Loadable | undefined, word: string): Command.Flag.Cached | undefined {
  const flags = Object.values(command?.flags ?? {});
  return flags.find(({ type, name, char }) => type === "option" && (word === `--${name}` || word === `-${char}`));
}

function nextWords(commands: readonly Command.Loadable[], typed: readonly string[]): readonly Completion[] {
  const words = new Map<string, string>();
  for (const { id, summary = "" } of commands) {
    const parts = id.split(":");
    const next = parts[typed.length];
    if (next === undefined || typed.some((word, index) => word !== parts[index])) continue;
    words.set(next, parts.length === typed.length + 1 ? summary : (words.get(next) ?? ""));
  }
  return [...words].map(([word, summary]) => ({ word, summary }));
}

/** The command's own flags first, then those that every command has. */
function flagsOf(command: Command.Loadable | undefined, isLong: boolean): readonly Completion[] {
  if (command === undefined) return [help, { word: "--version", summary: "Show the version" }];
  const flags = Object.values(command.flags).filter(({ hidden }) => !hidden);
  const isGlobal = ({ helpGroup }: Command.Flag.Cached) => helpGroup === "GLOBAL";
  const ordered = [...flags.filter((flag) => !isGlobal(flag)), ...flags.filter(isGlobal)];
  const named = ordered.flatMap((flag) => {
    const { name, char, summary = "" } = flag;
    const opposite = flag.type === "boolean" && flag.allowNo ? [`--no-${name}`] : [];
    const short = char === undefined || isLong ? [] : [`-${char}`];
    return [`--${name}`, ...opposite, ...short].map((word) => ({ word, summary }));
  });
  return [...named, help];
}

const help: Completion = { word: "--help", summary: "Show help" };

async function valuesOf({ name, ...flag }: Command.Flag.Cached, current: string, remote: RemoteNames) {
  if (name === "project") return await remote.projects();
  if (name === "dir" || name === "directory") return folders(current);
  if (name === "expect-current" || name === "end") return await remote.releases();
  return words("options" in flag ? flag.options : undefined);
}

async function argumentsOf(command: Command.Loadable, current: string, remote: RemoteNames) {
  const args = Object.values(command.args).filter(({ hidden }) => !hidden);
  const offered = args.map(async ({ name, options }) => {
    if (name === "dir") return folders(current);
    if (name === "place") return openPlaces().map(([word, summary]) => ({ word, summary }));
    return name === "release" ? await remote.releases() : words(options);
  });
  return (await Promise.all(offered)).flat();
}

function words(options: readonly string[] = []): readonly Completion[] {
  return options.map((word) => ({ word, summary: "" }));
}

function folders(current: string): readonly Completion[] {
  const parent = current.slice(0, current.lastIndexOf("/") + 1);
  const isHiddenOffered = current.slice(parent.length).startsWith(".");
  try {
    return readdirSync(parent || ".", { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && (isHiddenOffered || !entry.name.startsWith(".")))
      .map(({ name }) => ({ word: `${parent}${name}/`, summary: "" }));
  } catch {
    // The folder above does not exist, or cannot be read.
    return [];
  }
}
