import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { commands } from "../home.ts";
import { ConfigurationError, providerOf, type Stage, userPoolOutputs } from "../settings/stage.ts";
import type { Aws } from "./aws-command.ts";

/*
 * `npm run deploy -- STAGE --first-developer EMAIL`: the account of that person, a developer, and a token that is printed once.
 */

export interface FirstDeveloper {
  readonly stage: Stage;
  readonly email: string;
  readonly aws: Aws;
  /** The URL of the API. */
  readonly api: string;
  /** Outputs of the stage's stack, by name. */
  readonly outputs: ReadonlyMap<string, string>;
  /** The arguments of the operator's command that find the stage. */
  readonly operatorArguments: readonly string[];
}

/**
 * Checks before the deployment that it can end with a token.
 *
 * @throws ConfigurationError in a CI job, whose log would keep the token; for another provider than the stage's own user pool without
 *   an ID token of that person
 */
export function refuseFirstDeveloper(stage: Stage, email: string, { CI, ID_TOKEN }: NodeJS.ProcessEnv): void {
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new ConfigurationError(`${email} is not an email address.`);
  if (CI)
    throw new ConfigurationError(
      "--first-developer prints a token, which the log of a CI job would keep: run it by hand.",
    );
  if (stage.identityProvider === "cognito") return;
  const { issuer } = providerOf(stage);
  if (!ID_TOKEN)
    throw new ConfigurationError(
      `Only ${issuer} can sign ${email} in. Get an ID token of that person there and put it into ID_TOKEN (docs/operations/deploying.md#the-first-token).`,
    );
  const claims = claimsOf(ID_TOKEN);
  if (claims?.iss !== issuer || claims.email?.toLowerCase() !== email.toLowerCase())
    throw new ConfigurationError(`ID_TOKEN must be an ID token of ${issuer} for ${email}.`);
}

/** Reads the claims without verifying them: the API does. Undefined: it is no JSON Web Token. */
function claimsOf(idToken: string): { iss?: string; sub?: string; email?: string } | undefined {
  try {
    return JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString());
  } catch {
    return undefined;
  }
}

/**
 * Makes the person a developer of the deployed stage.
 *
 * @returns a token with every scope, which nothing keeps
 * @throws ConfigurationError what the operator can do if the API does not respond, the pool has the person, or the API refuses
 */
export async function createFirstDeveloper(first: FirstDeveloper): Promise<string> {
  await waitForApi(first);
  const { ID_TOKEN = "" } = process.env;
  const idToken = first.stage.identityProvider === "cognito" ? await signUp(first) : await signIn(first, ID_TOKEN);
  const { token } = await request(first, "/tokens", idToken, {
    name: "first developer",
    scopes: ["publish", "projects"],
  });
  return String(token);
}

/** @returns the same ID token, once the API knows its person as a developer */
async function signIn(first: FirstDeveloper, idToken: string): Promise<string> {
  const signedIn = request(first, "/auth/session", idToken, { role: "dev" });
  await signedIn.catch(async (error: Error) => {
    if (!error.message.includes("(developer_approval_pending)")) throw error;
    await approve(first, idToken);
    await request(first, "/auth/session", idToken, { role: "dev" });
  });
  return idToken;
}

/** Approves the developer as the operator, who runs this. */
async function approve({ operatorArguments }: FirstDeveloper, idToken: string): Promise<void> {
  const { operate } = await import("../operator/operator.ts");
  await operate([...operatorArguments, "approve", "account", claimsOf(idToken)?.sub ?? ""], new Date());
}

/**
 * Adds the person to the stage's pool and signs them in once, with a password that is random and not kept: nobody has it, so only who
 * reads the mail of the address gets in, by "Forgot password" on the sign-in page.
 *
 * @returns their ID token
 */
async function signUp(first: FirstDeveloper): Promise<string> {
  const { stage, email, aws, outputs } = first;
  const user = { UserPoolId: outputs.get(userPoolOutputs.pool), Username: email };
  const attributes = { email, email_verified: "true", name: "First developer" };
  await send(aws, "admin-create-user", {
    ...user,
    // No mail with a password that somebody on its way could use.
    MessageAction: "SUPPRESS",
    UserAttributes: Object.entries(attributes).map(([Name, Value]) => ({ Name, Value })),
  }).catch((error: Error) => {
    if (!error.message.includes("UsernameExistsException")) throw error;
    throw new ConfigurationError(
      `${email} is in the user pool of ${stage.name} already, so nothing was changed there. A token that was printed for them before works until it expires; to make another one sign in at the dashboard, by "Forgot password" the first time, or name somebody else.`,
    );
  });
  try {
    // The first characters satisfy the pool's password policy, whatever the random ones are.
    const Password = `aA1-${randomBytes(32).toString("base64url")}`;
    await send(aws, "admin-set-user-password", { ...user, Password, Permanent: true });
    const { AuthenticationResult } = await send(aws, "admin-initiate-auth", {
      UserPoolId: user.UserPoolId,
      ClientId: outputs.get(userPoolOutputs.client),
      AuthFlow: "ADMIN_USER_PASSWORD_AUTH",
      AuthParameters: { USERNAME: email, PASSWORD: Password },
    });
    return await signIn(first, AuthenticationResult.IdToken);
  } catch (error) {
    // So that the command can be repeated.
    await send(aws, "admin-delete-user", user);
    throw error;
  }
}

/** Sends a request to Cognito by a file that only this user can read: every user of the machine sees a command line. */
async function send(aws: Aws, operation: string, input: object) {
  const folder = await mkdtemp(join(tmpdir(), "svc-first-developer-"));
  try {
    const file = join(folder, "input.json");
    await writeFile(file, JSON.stringify(input), { mode: 0o600 });
    return await aws("cognito-idp", operation, "--cli-input-json", `file://${file}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Waits until the routes of a new API are known; a name of the operator's own does not respond before its DNS record is there. */
async function waitForApi({ api, stage, email }: FirstDeveloper): Promise<void> {
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    const signal = AbortSignal.timeout(15_000);
    const response = await fetch(new URL("/health", api), { signal }).catch(() => undefined);
    if (response?.ok) return;
    // A name without a record does not get one meanwhile.
    if (stage.domain && response === undefined) break;
    await delay(3_000);
  }
  throw new ConfigurationError(
    `${api} does not respond yet. When it does (its DNS record?), run again: ${commands.deploy} ${stage.name} --first-developer ${email}`,
  );
}

/** @throws ConfigurationError with the API's own sentence if it refuses */
async function request({ api }: FirstDeveloper, path: string, idToken: string, body: object) {
  const response = await fetch(new URL(path, api), {
    method: "POST",
    headers: { authorization: `Bearer ${idToken}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  // biome-ignore lint/suspicious/noExplicitAny: checked where it is read
  const content = (await response.json()) as any;
  if (!response.ok) throw new ConfigurationError(`The API refused ${path}: ${content.detail} (${content.code})`);
  return content;
}
