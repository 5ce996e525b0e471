import type { Config } from "@oclif/core/config";
import { commands } from "./commands.ts";
import { usageError } from "./errors.ts";
import { loadProgram } from "./program.ts";
import { closest } from "./suggest.ts";

type CommandId = keyof typeof commands;

/**
 * Runs one command line. Which words are the command, which are its arguments and flags, is for oclif alone to say.
 *
 * @param argv without node and the script
 * @throws UserError, an error of oclif's parser, or whatever a bug throws
 */
export async function run(argv: string[]): Promise<void> {
  const config = await loadProgram();
  if (isVersionRequest(argv, config)) return printVersion(config, argv);
  const { normalizeArgv } = await import("@oclif/core/help");
  if (isHelpRequest(argv, config)) return (await import("./help.ts")).showHelp(argv, config);
  const [words = "", ...rest] = normalizeArgv(config, argv);
  const { id, extra } = findCommand(words, config);
  if (id === undefined && config.findTopic(words)) return (await import("./help.ts")).showHelp(argv, config);
  if (id === undefined) throw unknownCommand(words, config);
  await commands[id].start([...extra, ...rest], config);
}

function isVersionRequest([first = ""]: readonly string[], config: Config): boolean {
  return ["--version", ...(config.pjson.oclif.additionalVersionFlags ?? [])].includes(first);
}

function printVersion(config: Config, argv: readonly string[]): void {
  const { userAgent, version } = config;
  process.stdout.write(argv.includes("--json") ? `${JSON.stringify({ version }, null, 2)}\n` : `${userAgent}\n`);
}

function isHelpRequest(argv: readonly string[], config: Config): boolean {
  const own = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const flags = ["--help", ...(config.pjson.oclif.additionalHelpFlags ?? [])];
  return argv.length === 0 || argv[0] === "help" || own.some((word) => flags.includes(word));
}

/** oclif takes every word for a part of the command's name where the command takes no arguments: what is too much is given back. */
function findCommand(words: string, config: Config): { id: CommandId | undefined; extra: string[] } {
  const parts = words.split(":");
  for (let length = parts.length; length > 0; length -= 1) {
    const id = parts.slice(0, length).join(":");
    if (config.findCommand(id) && id in commands) return { id: id as CommandId, extra: parts.slice(length) };
  }
  return { id: undefined, extra: [] };
}

function unknownCommand(words: string, config: Config) {
  const typed = words.replaceAll(":", " ");
  const known = config.commandIDs.map((id) => id.replaceAll(":", " "));
  const meant = closest(typed, known);
  return usageError(`svc has no command ${typed}.${meant === undefined ? "" : ` Did you mean ${meant}?`}`, {
    code: "unknown_command",
    next: meant === undefined ? "svc --help lists all commands." : `svc ${meant} --help`,
  });
}
