/**
 * Secrets that must never be in a log: a personal access token, whole or its random part, an ID token, an email address, or
 * anything of a request's body.
 */
const secrets: readonly [string, RegExp][] = [
  ["a personal access token", /pat_[0-9A-Za-z]{5,}/],
  ["the random part of one", /(?<![0-9A-Za-z_])(?![0-9a-f]+\b)[0-9A-Za-z]{54,}/],
  // A part beside a dot, or one that is longer than an id, in which `eyJ` can stand by chance.
  ["an ID token", /eyJ[\w-]{5,}\.|\.eyJ[\w-]{5,}|eyJ[\w-]{25,}/],
  ["an email address", /[\w.+-]+@[\w-]+\.test/],
  // The names of actors and operations (test/support), and the mark of a fuzzed request.
  ["a request body", /Ada Lovelace|\bName [0-9a-f]{8}-|\bmk\d{7}x/],
];

/** The end of the service's first output, which shows how to make an ID token. */
const greetingEnd = "Ctrl-C stops.";

/** The lines of an output that contain a secret, each with the kind of secret. */
export function secretsIn(output: string): string[] {
  return output
    .slice(output.indexOf(greetingEnd) + 1)
    .split("\n")
    .flatMap((line) => secrets.filter(([, pattern]) => pattern.test(line)).map(([what]) => `${what}: ${line}`));
}

/** @throws Error that names the lines of a service's output with a secret */
export function assertNoSecrets(output: string): void {
  const found = secretsIn(output);
  if (found.length > 0) throw new Error(`The service's output contains secrets:\n${found.slice(0, 10).join("\n")}`);
}
