import type { Client } from "../../contract/client.ts";
import { credentialPath, readCredentials } from "./credential-file.ts";
import { UserError } from "./errors.ts";
import { closest } from "./suggest.ts";

/** The caller of a command, and the project that it has not. */
export interface MissingProject {
  readonly client: Client;
  readonly slug: string;
  /** The token of the command. */
  readonly token: string;
  /** Whether another saved account can be chosen: not with SVC_TOKEN. */
  readonly canChooseAccount: boolean;
  /** A client of the same API with another token. */
  clientWith(token: string): Promise<Client>;
}

/**
 * The error for a project that the account has not, if it was probably mistyped or belongs to another account that is saved here.
 *
 * @returns undefined if neither is so, or the API cannot be asked
 */
export async function explainMissingProject(missing: MissingProject): Promise<UserError | undefined> {
  const { client, slug } = missing;
  const meant = closest(slug, await projectsOf(client));
  const error = (message: string, next: string) =>
    new UserError(`You have no project ${slug}. ${message}`, { code: "project_not_found", status: 404, next });
  if (meant !== undefined)
    return error(`Did you mean ${meant}?`, `--project ${meant}; or create it: svc projects create ${slug}`);
  for (const { name, uid, token } of otherAccounts(missing)) {
    const theirs = await projectsOf(await missing.clientWith(token));
    if (theirs.includes(slug)) return error(`${name} has it.`, `--account ${uid}`);
  }
  return undefined;
}

/** The slugs of the account's projects; of many the first hundred. Empty if they cannot be read. */
async function projectsOf(client: Client): Promise<readonly string[]> {
  const read = client.withOneTry().call("GET /projects", { query: { limit: "100" } });
  return await read.then(
    ({ projects }) => projects.map(({ slug }) => slug),
    () => [],
  );
}

function otherAccounts({ client, token: own, canChooseAccount }: MissingProject) {
  const path = credentialPath();
  if (path === undefined || !canChooseAccount) return [];
  return readCredentials(path, () => {}).flatMap(({ api, token, account }) =>
    api.origin === client.api.origin && token !== own && account ? [{ ...account, token }] : [],
  );
}
