import { createHash } from "node:crypto";
import { readConfiguration } from "./configuration.ts";
import { idTokenPath } from "./identity-provider/identity-provider.ts";
import { readStartSecret } from "./identity-provider/start-secret.ts";
import { type LocalService, startLocalService } from "./service.ts";
import { hasExactly, type TourCaller, TourFailure, TourGuide } from "./tour-guide.ts";

/*
 * `npm run tour`: starts a service on free ports and in memory, and shows an account from its first sign-in to the rotation of
 * a token. Exits 0 only if every response is the expected one (docs/api.md).
 */
async function main(): Promise<void> {
  const service = await startLocalService(readConfiguration({ PORT: "0", IDP_PORT: "0" }));
  try {
    await tour(service);
  } finally {
    await service.stop();
  }
}

async function tour({ details }: LocalService): Promise<void> {
  console.log(`A service of our own runs at ${details.api}, an identity provider at ${details.issuer}.`);
  const guide = new TourGuide(details.api);
  const ada = await callerWithIdToken(details.issuer);
  await signIn(guide, ada);
  await editProfile(guide, ada);
  const old = await createAndUseToken(guide, ada);
  await rotate(guide, ada, old);
  console.log(`\n\nAll ${guide.steps} steps had the responses of docs/api.md.`);
}

async function callerWithIdToken(issuer: string): Promise<TourCaller> {
  const response = await fetch(`${issuer}${idTokenPath}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${await readStartSecret(Number(new URL(issuer).port))}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ sub: "ada", email: "ada@example.test", email_verified: true, name: "Ada" }),
  });
  return { label: "<Ada's ID token>", credential: await response.text() };
}

async function signIn(guide: TourGuide, ada: TourCaller): Promise<void> {
  guide.chapter("Signing in");
  await guide.walk({
    title: "Ada signs in for the first time",
    note: "The identity provider has signed her ID token; the service creates her account.",
    as: ada,
    request: "POST /auth/session",
    status: 201,
    facts: {
      "her name and email address come from the ID token": ({ body }) =>
        body.user.name === "Ada" && body.user.email === "ada@example.test",
      "her role is user": ({ body }) => body.user.role === "user",
      "she has no developer record": ({ body }) => body.developer === null,
    },
  });
  await guide.walk({
    title: "A user cannot create a token",
    note: "The backend enforces the role; hiding a button would not.",
    as: ada,
    request: "POST /tokens",
    body: { name: "too early", scopes: ["publish"] },
    status: 403,
    facts: { "the code is developer_required": ({ body }) => body.code === "developer_required" },
  });
  await guide.walk({
    title: "Ada becomes a developer",
    as: ada,
    request: "POST /auth/session",
    body: { role: "dev" },
    status: 200,
    facts: {
      "her role is dev": ({ body }) => body.user.role === "dev",
      "she has a developer record": ({ body }) => body.developer !== null,
    },
  });
}

async function editProfile(guide: TourGuide, ada: TourCaller): Promise<void> {
  guide.chapter("The profile");
  await guide.walk({
    title: "Ada edits her profile",
    as: ada,
    request: "PATCH /me",
    body: { display_name: "Countess Games", bio: "Small games about big numbers." },
    status: 200,
    facts: { "the developer record has it": ({ body }) => body.developer.display_name === "Countess Games" },
  });
  await guide.walk({
    title: "Anybody may read her public profile",
    request: "GET /users/ada",
    status: 200,
    facts: {
      "it has neither her email address nor her role": ({ body }) =>
        hasExactly(body, ["uid", "name", "avatar", "display_name", "bio"]),
    },
  });
}

async function createToken(guide: TourGuide, ada: TourCaller, name: string, title: string) {
  const { body } = await guide.walk({
    title,
    note: "This response is the only one that ever has the raw token (masked here); the service keeps its hash.",
    as: ada,
    request: "POST /tokens",
    body: { name, scopes: ["publish"] },
    status: 201,
    facts: { "it has an id and the raw token": ({ body: token }) => token.id && token.token.startsWith("pat_") },
  });
  return { id: body.id as string, name, credential: body.token as string, label: `<the token "${name}">` };
}

type Token = Awaited<ReturnType<typeof createToken>>;

async function createAndUseToken(guide: TourGuide, ada: TourCaller): Promise<Token> {
  guide.chapter("A personal access token");
  await guide.walk({
    title: "Ada creates the project that she will publish to",
    as: ada,
    request: "POST /projects",
    body: { slug: "chess", name: "Chess" },
    status: 201,
    facts: {
      "it has an origin of its own to be played at": ({ body }) => new URL(body.play_url).hostname.startsWith("chess."),
    },
  });
  const token = await createToken(guide, ada, "build machine", "Ada creates a token for her build machine");
  await guide.walk({
    title: "The build machine asks who it is",
    as: token,
    request: "GET /me",
    status: 200,
    facts: {
      "it is Ada": ({ body }) => body.user.uid === "ada",
      "the response says that a token authenticated it": ({ body }) =>
        body.auth.kind === "token" && body.auth.token_id === token.id,
    },
  });
  await guide.walk({
    title: "A token does not replace the session for account settings",
    as: token,
    request: "PATCH /me",
    body: { name: "Somebody Else" },
    status: 403,
    facts: { "the code is session_required": ({ body }) => body.code === "session_required" },
  });
  await guide.walk({
    title: "Ada lists her tokens",
    as: ada,
    request: "GET /tokens",
    status: 200,
    facts: {
      "the token is active": ({ body }) => statusOf(body, token) === "active",
      "the secret is nowhere": ({ text }) => !text.includes(token.credential),
    },
  });
  return token;
}

async function rotate(guide: TourGuide, ada: TourCaller, old: Token): Promise<void> {
  guide.chapter("Rotation in four steps");
  const replacement = await createToken(guide, ada, "build machine 2", "Rotation, step 1: create a replacement token");
  await guide.walk({
    title: "Rotation, step 2: the build machine gets the new token and confirms it",
    note: "This is what `svc whoami` asks.",
    as: replacement,
    request: "GET /me",
    status: 200,
    facts: { "the new token authenticated it": ({ body }) => body.auth.token_id === replacement.id },
  });
  await guide.walk({
    title: "Rotation, step 2: and a dry run, which makes every check of a publish and changes nothing",
    note: "This is what `svc publish --dry-run` asks: may this token publish these files?",
    as: replacement,
    request: "POST /projects/chess/releases",
    body: { dry_run: true, files: [{ path: "index.html", size: page.length, sha256: sha256(page) }] },
    status: 200,
    facts: {
      "one file would be added": ({ body }) => body.added.count === 1,
      "no release was opened": ({ body }) => body.release === null,
    },
  });
  await guide.walk({
    title: "Rotation, step 3: revoke the old token with the owner's ID token",
    as: ada,
    request: `DELETE /tokens/${old.id}`,
    status: 204,
  });
  await guide.walk({
    title: "Rotation, step 4: the old token's next request receives 401",
    as: old,
    request: "GET /me",
    status: 401,
    facts: { "the code is token_revoked": ({ body }) => body.code === "token_revoked" },
  });
  await guide.walk({
    title: "The revocation shows in the list, and the new token is untouched",
    as: ada,
    request: "GET /tokens",
    status: 200,
    facts: {
      "the old token is revoked": ({ body }) => statusOf(body, old) === "revoked",
      "the new token is active": ({ body }) => statusOf(body, replacement) === "active",
    },
  });
  await guide.walk({
    title: "Everything that happened to the account is on record",
    as: ada,
    request: "GET /me/events",
    status: 200,
    facts: {
      "the revocation is the newest event": ({ body }) => body.events[0].type === "token_revoked",
      "the first one is the account's creation": ({ body }) => body.events.at(-1).type === "account_created",
    },
  });
}

const page = Buffer.from("<!doctype html><title>Chess</title>");

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function statusOf(list: { tokens: { id: string; status: string }[] }, { id }: Token): string | undefined {
  return list.tokens.find((token) => token.id === id)?.status;
}

main().catch((error: Error) => {
  console.error(error instanceof TourFailure ? `\n${error.message}` : error);
  process.exitCode = 1;
});
