import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dummyCredentials } from "./credentials.ts";

/*
 * Endpoints and names of a running local service's parts, so that the operator's command can be practised against it
 * (docs/operations/abuse.md). They contain no secret: the credentials are those that only embedded parts accept.
 */

const folder = new URL("../build/local/", import.meta.url);
const names = [
  ...["TABLE_NAME", "DYNAMODB_ENDPOINT", "GAMES_STORE_ARN", "GAMES_STORE_ENDPOINT", "GAMES_DOMAIN", "IDP_ISSUER"],
  ...["AWS_REGION", "REPORT_URL", "LEFT_OUT_OPTIONS"],
];

function fileOf(port: string): URL {
  return new URL(`${port}.json`, folder);
}

/** Notes the environment of this process's functions; the returned function removes the note. */
export function noteLocalParts(port: string, environment: NodeJS.ProcessEnv): () => void {
  const parts = Object.fromEntries(names.map((name) => [name, environment[name] ?? ""]));
  mkdirSync(fileURLToPath(folder), { recursive: true });
  writeFileSync(fileOf(port), JSON.stringify(parts));
  return () => rmSync(fileOf(port), { force: true });
}

/** The settings of a process that changes the data of the local service at this port; undefined if none runs. */
export function readLocalParts(port: string): Readonly<Record<string, string>> | undefined {
  try {
    const parts = JSON.parse(readFileSync(fileOf(port), "utf8"));
    const { accessKeyId, secretAccessKey } = dummyCredentials;
    return { ...parts, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
