import { exitCodes, UserError } from "./errors.ts";
import { closest } from "./suggest.ts";

/** Error that oclif throws for an invalid command line. */
interface OclifError extends Error {
  readonly oclif: { readonly exit?: number };
  /** The unknown flags, as they were typed. */
  readonly flags?: readonly string[];
  readonly parse?: { readonly input?: { readonly flags?: Record<string, unknown> } };
}

export function isOclifError(failure: unknown): failure is OclifError {
  return failure instanceof Error && "oclif" in failure;
}

/** Makes it a UserError, and suggests the nearest flag for an unknown one. */
export function fromOclif(error: OclifError): UserError {
  const [typed] = error.flags ?? [];
  const known = [...Object.keys(error.parse?.input?.flags ?? {}), "help"].map((name) => `--${name}`);
  const meant = typed === undefined ? undefined : closest(typed.replace(/=.*$/s, ""), known);
  const message = error.message
    .replace("\nSee more help with --help", "")
    .replace(/(?<!\s)\s*\n\s*/g, " ")
    .replace(/^Parsing (--[\w-]+)/, "$1:");
  return new UserError(meant === undefined ? message : `${message}. Did you mean ${meant}?`, {
    code: "usage",
    exitCode: exitCodes.usage,
    next: "Add --help to see what the command takes.",
  });
}
