/** What may be said about a request that went wrong. Never a header, a body, a parameter or a whole event. */
interface LogLine {
  readonly level: "warn" | "error";
  readonly message: string;
  readonly request_id: string;
  /** Method and path, or the name of what runs on a schedule. */
  readonly route: string;
  readonly code?: string;
  /** Why a credential was refused: a claim and a rule, no value. */
  readonly reason?: string;
  readonly error?: unknown;
}

/**
 * Writes one JSON line, with the time and the level where Lambda's log filter looks for them. An error is told by its names, its messages and its stack, all cleansed of whatever looks like a
 * credential or an email address: an SDK or a library may quote its input.
 */
export function log({ error, ...line }: LogLine): void {
  const told = error === undefined ? {} : { error: describe(error) };
  process.stdout.write(`${JSON.stringify({ timestamp: new Date().toISOString(), ...line, ...told })}\n`);
}

function describe(error: unknown): object {
  if (!(error instanceof Error)) return { name: typeof error };
  const cause = error.cause === undefined ? {} : { cause: describe(error.cause) };
  const { name, message, stack } = error;
  return { name, message: cleanse(message), stack: cleanse(stack ?? ""), ...cause };
}

/** @internal */
export function cleanse(text: string): string {
  return text
    .replace(/pat_[0-9A-Za-z]*/g, "pat_…")
    .replace(/eyJ[\w-]*(\.[\w-]*)*/g, "eyJ…")
    .replace(/(X-Amz-(?:Security-Token|Signature))=[^\s&"]+/gi, "$1=…")
    .replace(/("[^\s"]{1,320}"|[^\s"<>/@]{1,320})@[^\s"'<>/@]+/g, "…@…");
}
