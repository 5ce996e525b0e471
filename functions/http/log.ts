/** Line of the log, with all that it may contain. Never a header, a body, a parameter or a whole event. */
interface LogLine {
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly request_id: string;
  /** Method and path of the route, or the name of a function that has none. */
  readonly route: string;
  readonly code?: string;
  /** Why a credential was refused: the claim and the rule, never the value. */
  readonly reason?: string;
  readonly error?: unknown;
}

/**
 * Writes one JSON line, with time and level in the members that Lambda's log filter reads. Of an error it writes name,
 * message and stack trace, after {@link redacted}: an SDK or a library may quote its input.
 */
export function log({ error, ...line }: LogLine): void {
  const described = error === undefined ? {} : { error: describe(error) };
  process.stdout.write(`${JSON.stringify({ timestamp: new Date().toISOString(), ...line, ...described })}\n`);
}

function describe(error: unknown): object {
  if (!(error instanceof Error)) return { name: typeof error };
  const cause = error.cause === undefined ? {} : { cause: describe(error.cause) };
  const { name, message, stack } = error;
  return { name, message: redacted(message), stack: redacted(String(stack)), ...cause };
}

/** Replaces everything that looks like a credential or an email address. @internal */
export function redacted(text: string): string {
  return text
    .replace(/pat_[0-9A-Za-z]*/g, "pat_…")
    .replace(/eyJ[\w-]*(\.[\w-]*)*/g, "eyJ…")
    .replace(/(X-Amz-(?:Security-Token|Signature))=[^\s&"]+/gi, "$1=…")
    .replace(/("[^\s"]+"|(?<![^\s"<>/@])[^\s"<>/@]+)@[^\s"'<>/@]+/g, "…@…");
}
