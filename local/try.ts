import { spawn } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { fileURLToPath } from "node:url";
import { limits } from "../contract/api/limits.ts";
import { requestIdToken } from "./identity-provider/request-id-token.ts";
import { postJson } from "./post-json.ts";

const svc = fileURLToPath(new URL("../cli/bin/run.cjs", import.meta.url));

const usage = `npm run try: signs you in as Ada at the service that npm start started in another terminal, creates a token and saves it with
svc login. It takes no arguments; PORT and IDP_PORT are those of npm start.`;

/*
 * `npm run try`, while `npm start` runs in another terminal: signs a person in, makes them a developer, creates a token and lets
 * `svc login` save it. It prints each step, because your own script would need the same ones.
 */
async function main(): Promise<void> {
  const [argument] = process.argv.slice(2);
  if (argument === "--help" || argument === "-h") return console.log(usage);
  if (argument !== undefined) {
    process.exitCode = 2;
    return console.error(`npm run try does not know ${argument}. Nothing was done.\n${usage}`);
  }
  const api = `http://127.0.0.1:${process.env["PORT"] || "8787"}`;
  const idpPort = Number(process.env["IDP_PORT"] || "8788");
  const claims = { sub: "ada", email: "ada@example.test", email_verified: true, name: "Ada" };
  const idToken = await requestIdToken(idpPort, { ...claims, exp: Math.floor(Date.now() / 1_000) + 3_600 });
  console.log(`1. The identity provider at port ${idpPort} signed an ID token for ada@example.test.`);

  await postJson(`${api}/auth/session`, idToken, { role: "dev" });
  console.log("2. POST /auth/session created a developer's account for it: Ada.");

  const token = await postJson(`${api}/tokens`, idToken, {
    name: `npm run try, ${hostname()}`,
    scopes: ["publish", "projects"],
  });
  console.log(
    `3. POST /tokens created a personal access token, for ${limits.defaultTokenLifetimeDays} days and to publish and manage projects.`,
  );

  await login(api, String(token["token"]));
  console.log(`4. svc login --token - --api ${api} saved it. svc whoami shows it, svc logout removes it.

Next: npx --no svc projects create my-game`);
}

/** The token goes through standard input, because other users of a machine can read a command line. */
async function login(api: string, token: string): Promise<void> {
  const child = spawn(process.execPath, [svc, "login", "--token", "-", "--api", api], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  child.stdin.end(token);
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`svc login ended with ${code}`);
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
