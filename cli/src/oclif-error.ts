import { type UserError, usageError } from "./errors.ts";
import { closest, commandLine, withProject } from "./suggest.ts";

/** Error that oclif throws for an invalid command line. */
interface OclifError extends Error {
  readonly oclif: { readonly exit?: number };
  /** The unknown flags, as they were typed. */
  readonly flags?: readonly string[];
  /** The arguments that are too many. */
  readonly args?: unknown;
  readonly parse?: { readonly input?: { readonly flags?: Record<string, unknown> } };
}

/** The command that was run, as it was typed. */
export interface TypedCommand {
  /** Its name, as `projects list`. */
  readonly name: string;
  readonly argv: readonly string[];
  /** Names of the arguments that it takes. */
  readonly args: readonly string[];
}

export function isOclifError(failure: unknown): failure is OclifError {
  return failure instanceof Error && "oclif" in failure;
}

/** Makes it a UserError, and suggests the nearest flag for an unknown one, or where an argument belongs. */
export function fromOclif(error: OclifError, command?: TypedCommand): UserError {
  const message = error.message
    .replace("\nSee more help with --help", "")
    .replace(/(?<!\s)\s*\n\s*/g, " ")
    .replace(/^Parsing (--[\w-]+)/, "$1:");
  const flagNames = Object.keys(error.parse?.input?.flags ?? {});
  const meant = meantLine(error, flagNames, command);
  if (meant !== undefined) return usageError(`${message}. Did you mean ${meant}?`, { next: meant });
  const [typed] = error.flags ?? [];
  const flag =
    typed === undefined
      ? undefined
      : closest(
          nameOf(typed),
          [...flagNames, "help"].map((name) => `--${name}`),
        );
  return usageError(flag === undefined ? message : `${message}. Did you mean ${flag}?`, {
    next: "Add --help to see what the command takes.",
  });
}

/** The command line that was meant by `--dir DIR` in place of DIR, or by an argument that is the project. */
function meantLine(
  { flags: [flag] = [], args: extra }: OclifError,
  flagNames: readonly string[],
  command: TypedCommand | undefined,
): string | undefined {
  if (command === undefined) return undefined;
  const { name, argv, args } = command;
  if (flag !== undefined && nameOf(flag) === "--dir" && args.includes("dir"))
    return commandLine([
      name,
      ...argv.flatMap((word) => (word === "--dir" ? [] : [word.startsWith("--dir=") ? word.slice(6) : word])),
    ]);
  if (!Array.isArray(extra) || extra.length !== 1 || !flagNames.includes("project")) return undefined;
  return commandLine([name, ...withProject(argv, args.length)]);
}

function nameOf(flag: string): string {
  return flag.replace(/=.*$/s, "");
}
