import type { Config } from "@oclif/core/config";
import type { commands } from "./commands.ts";
import { usageError } from "./errors.ts";
import { packageVersion } from "./package-version.ts";
import { closest } from "./suggest.ts";

type CommandId = keyof typeof commands;

const versionFlags = ["--version", "-v", "-V"];

/**
 * Runs one command line: the longest run of words at its beginning that oclif knows as a command; all behind it is for
 * oclif's parser.
 *
 * @param argv without node and the script
 * @throws UserError, an error of oclif's parser, or whatever a bug throws
 */
export async function run(argv: string[]): Promise<void> {
  if (versionFlags.includes(argv[0] ?? "")) return printVersion(argv);
  const { loadProgram } = await import("./program.ts");
  const config = await loadProgram();
  const isHelp = isHelpRequest(argv, config);
  const words = leadingWords(argv[0] === "help" ? argv.slice(1) : argv);
  const id = words
    .map((_, index) => words.slice(0, words.length - index).join(":"))
    .find((id) => config.findCommand(id));
  const isTopic = id === undefined && config.findTopic(words.join(":")) !== undefined;
  if (isTopic || (isHelp && (id !== undefined || words.length === 0)))
    return (await import("./help.ts")).showHelp(argv, config);
  if (id === undefined) throw words.length === 0 ? flagsFirst() : unknownCommand(words.join(" "), config);
  const { commands } = await import("./commands.ts");
  await commands[id as CommandId].start(argv.slice(id.split(":").length), config);
}

function leadingWords(argv: readonly string[]): readonly string[] {
  const end = argv.findIndex((word) => word.startsWith("-"));
  return end === -1 ? argv : argv.slice(0, end);
}

function printVersion(argv: readonly string[]): void {
  const text = `svc/${packageVersion} ${process.platform}-${process.arch} node-${process.version}`;
  process.stdout.write(
    argv.includes("--json") ? `${JSON.stringify({ version: packageVersion }, null, 2)}\n` : `${text}\n`,
  );
}

function isHelpRequest(argv: readonly string[], config: Config): boolean {
  const own = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const flags = ["--help", ...(config.pjson.oclif.additionalHelpFlags ?? [])];
  return argv.length === 0 || argv[0] === "help" || own.some((word) => flags.includes(word));
}

function flagsFirst() {
  return usageError("The command comes first, its flags behind it.", {
    code: "unknown_command",
    next: "svc --help lists all commands.",
  });
}

function unknownCommand(typed: string, config: Config) {
  const known = config.commandIDs.map((id) => id.replaceAll(":", " "));
  const meant = closest(typed, known);
  return usageError(`svc has no command ${typed}.${meant === undefined ? "" : ` Did you mean ${meant}?`}`, {
    code: "unknown_command",
    next: meant === undefined ? "svc --help lists all commands." : `svc ${meant} --help`,
  });
}
