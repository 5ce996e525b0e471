import { parseArgs } from "node:util";
import { requestIdToken } from "./identity-provider/request-id-token.ts";

const usage = `Usage: npm run --silent id-token -- --uid UID [--email ADDRESS] [--name NAME] [--picture URL]
         [--expires-in SECONDS] [--audience AUDIENCE]`;

/** Prints an ID token of the local identity provider that runs at IDP_PORT, and nothing else. */
async function main(): Promise<void> {
  if (/^(--help|-h)$/.test(process.argv[2] ?? "")) return console.log(usage);
  const claims = readClaims();
  const port = process.env["IDP_PORT"] || "8788";
  console.log(await requestIdToken(Number(port), claims));
}

function readClaims(): Record<string, unknown> {
  const values = readOptions();
  if (!values.uid) throw new Error(`--uid is missing\n${usage}`);
  const expiresInSeconds = Number(values["expires-in"] ?? 3_600);
  if (!Number.isInteger(expiresInSeconds)) throw new Error(`--expires-in must be whole seconds\n${usage}`);
  return {
    sub: values.uid,
    ...(values.email && { email: values.email, email_verified: true }),
    ...(values.name && { name: values.name }),
    ...(values.picture && { picture: values.picture }),
    ...(values.audience && { aud: values.audience }),
    exp: Math.floor(Date.now() / 1_000) + expiresInSeconds,
  };
}

function readOptions() {
  const text = { type: "string" } as const;
  const options = { uid: text, email: text, name: text, picture: text, "expires-in": text, audience: text };
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${usage}`);
  }
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
