import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { localServiceFile } from "../infra/operator/local-service.ts";
import { dummyCredentials } from "./credentials.ts";

/*
 * Endpoints and names of a running local service's parts, so that the operator's command can be practised against it
 * (docs/operations/abuse.md). They contain no secret: the credentials are those that only embedded parts accept.
 */

const names = [
  ...["TABLE_NAME", "DYNAMODB_ENDPOINT", "GAMES_STORE_ARN", "GAMES_STORE_ENDPOINT", "GAMES_DOMAIN", "IDP_ISSUER"],
  ...["AWS_REGION", "REPORT_URL", "LEFT_OUT_OPTIONS", "NOTICES", "SAVES_PAGE"],
];

/** Notes the environment of this process's functions; the returned function removes the note. */
export function noteLocalParts(port: string, environment: NodeJS.ProcessEnv): () => void {
  const parts = Object.fromEntries(names.map((name) => [name, environment[name] ?? ""]));
  const { accessKeyId, secretAccessKey } = dummyCredentials;
  const settings = { ...parts, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
  const file = localServiceFile(port);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(settings));
  return () => rmSync(file, { force: true });
}
