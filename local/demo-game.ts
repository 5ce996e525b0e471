import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { requestIdToken } from "./identity-provider/request-id-token.ts";
import { postJson } from "./post-json.ts";
import type { ServiceDetails } from "./service.ts";

/** The project of the example game. */
export const demoProject = "bounce";

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** Publishes the example game as Ada does: by the command line, with a token that is revoked afterwards. */
export async function publishDemoGame({ api, issuer }: ServiceDetails): Promise<void> {
  const claims = { sub: "ada", email: "ada@example.test", email_verified: true, name: "Ada Lovelace" };
  const idToken = await requestIdToken(Number(new URL(issuer).port), claims);
  await postJson(`${api}/auth/session`, idToken, { role: "dev" });
  const made = await postJson(`${api}/tokens`, idToken, { name: "npm run demo", scopes: ["publish", "projects"] });
  const token = String(made["token"]);
  try {
    await publish(api, token);
  } finally {
    await fetch(`${api}/tokens/current`, { method: "DELETE", headers: { authorization: `Bearer ${token}` } });
  }
}

async function publish(api: string, token: string): Promise<void> {
  const words = [
    "publish",
    path("examples/bounce"),
    "--project",
    demoProject,
    "--create",
    "--message",
    "First release",
  ];
  const child = spawn(process.execPath, [path("cli/bin/run.cjs"), ...words, "--quiet"], {
    // Without the variables of a CI job, which would publish by its identity.
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], SVC_API: api, SVC_TOKEN: token },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`svc publish ended with ${code}`);
}
