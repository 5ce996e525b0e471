import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { dummyCredentials } from "../../../local/credentials.ts";
import { type IdentityProvider, startIdentityProvider } from "../../support/identity/identity-provider.ts";
import { sendTo } from "../../support/service/play.ts";
import { type ServiceProcess, startServiceProcess } from "../../support/service/service-process.ts";
import { manifestOf, newSlug, upload } from "../../support/service/steps.ts";
import { duringTests } from "../../support/service/suite.ts";
import { opening } from "../../support/service/visits.ts";

/*
 * A deployment and its rollback run two versions on one table, one bucket and one key-value store. The functions, schedules and edge of
 * an earlier commit and the present ones write for each other here, each once as the first and once as the second. With tags the commit
 * is that of the former version. It runs on the installed packages, so it must not need others.
 */

const earlier = "f2b74094";

const isThere = spawnSync("git", ["cat-file", "-e", `${earlier}^{commit}`]).status === 0;
if (!isThere) console.warn(`Two versions were not compared: this clone does not have the commit ${earlier}.`);
const describeVersions = isThere ? describe : describe.skip;

const folder = mkdtempSync(join(tmpdir(), "svc-earlier-version-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Version {
  readonly name: string;
  readonly details: ServiceProcess["details"];
  /** Sends a request as somebody, and returns status and body, in which this service's port is PORT. */
  send(method: string, path: string, as?: string, body?: object): Promise<Sent>;
  stop(): Promise<void>;
}
// biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
type Sent = { readonly status: number; readonly body: any };

const provider: IdentityProvider = duringTests(() => startIdentityProvider("svc-local"));

async function startVersion(name: "earlier" | "present", parts: Readonly<Record<string, string>>): Promise<Version> {
  const identity = { IDP_ISSUER: provider.issuer, IDP_JWKS_URI: provider.jwksUri, IDP_AUDIENCE: "svc-local" };
  const repository = name === "earlier" ? folder : resolve(".");
  const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
  const { details, stop } = await startServiceProcess({
    // Each version has its own place for the program.
    main: join(repository, scripts.start.split(" ").at(-1)),
    env: { GAMES_STORE_ENDPOINT: undefined, TABLE_NAME: "svc-versions", ...identity, ...parts },
  });
  const port = new URL(details.api).port;
  const send = async (method: string, path: string, as?: string, body?: object): Promise<Sent> => {
    const response = await fetch(details.api + path, {
      method,
      headers: { ...(as && { authorization: `Bearer ${as}` }), ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = (await response.text()).replaceAll(`:${port}`, ":PORT");
    return { status: response.status, body: /^[[{]/.test(text) ? JSON.parse(text) : text };
  };
  return { name, details, send, stop };
}

/** Parts that several versions share: those of the first. */
function partsOf({ details }: Version): Record<string, string> {
  return {
    DYNAMODB_ENDPOINT: details.dynamodbEndpoint,
    S3_ENDPOINT: details.s3Endpoint,
    TABLE_NAME: details.tableName,
    BUCKET_NAME: details.bucketName,
    GAMES_STORE_ENDPOINT: details.gamesStoreEndpoint,
    AWS_ACCESS_KEY_ID: dummyCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: dummyCredentials.secretAccessKey,
  };
}

/** Fields of `one` that `other` lacks or has with another value, by their JSON Pointers: later versions only add some. */
function lost(one: unknown, other: unknown, pointer = ""): string[] {
  if (typeof one !== "object" || one === null || typeof other !== "object" || other === null)
    return one === other ? [] : [`${pointer}: ${JSON.stringify(one)} is ${JSON.stringify(other)}`];
  const fields = Object.entries(one).flatMap(([name, value]) =>
    name in other ? lost(value, (other as Record<string, unknown>)[name], `${pointer}/${name}`) : `${pointer}/${name}`,
  );
  const isShorter = Array.isArray(one) && Array.isArray(other) && one.length !== other.length;
  return isShorter ? [...fields, `${pointer} has ${one.length} and ${other.length}`] : fields;
}

describeVersions.each([
  ["earlier", "present"],
  ["present", "earlier"],
] as const)("on the parts of the %s version, which writes first,", (firstName, secondName) => {
  let first: Version;
  let second: Version;
  const slug = newSlug();
  const project = `/projects/${slug}`;
  const page = { "index.html": "<!doctype html>one", "level.js": "export const level = 1;" };
  const made = { token: "", releases: [] as string[], uid: `ada-${slug}` };
  const idToken = (sub = made.uid) =>
    provider.idToken({
      claims: { aud: "svc-local", sub, email: `${sub}@example.test`, email_verified: true, name: "Ada" },
    });

  beforeAll(async () => {
    if (firstName === "earlier") {
      execFileSync("bash", ["-c", `git archive ${earlier} | tar -x -C ${folder}`]);
      symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    }
    first = await startVersion(firstName, {});
    second = await startVersion(secondName, partsOf(first));
  }, 240_000);
  afterAll(async () => {
    await second?.stop();
    await first?.stop();
  });

  const must = async (sending: Promise<Sent>): Promise<Sent["body"]> => {
    const { status, body } = await sending;
    if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body;
  };
  const publish = async ({ send }: Version, files: Readonly<Record<string, string>>, live = true): Promise<string> => {
    const opened = await must(send("POST", `${project}/releases`, made.token, { files: manifestOf(files) }));
    const path = `${project}/releases/${opened.release.id}`;
    if (opened.missing.length > 0) {
      const { uploads } = await must(send("POST", `${path}/uploads`, made.token, { sha256: opened.missing }));
      const { port } = new URL(first.details.s3Endpoint);
      for (const each of uploads) {
        const bytes = Object.values(files).find((text) => manifestOf({ text })[0]?.sha256 === each.sha256) ?? "";
        const url = each.url.replace(":PORT", `:${port}`);
        expect(await upload({ ...each, url }, bytes)).toBe(200);
      }
    }
    if (live) await must(send("POST", `${path}/publish`, made.token));
    made.releases.push(opened.release.id);
    return opened.release.id;
  };
  const play = ({ details }: Version, headers: Record<string, string> = {}, path = "/") =>
    sendTo(details.api, `${slug}.${details.gamesDomain}`, { path, headers: { ...opening, ...headers } });

  /** Every route that reads, as the owner. */
  const reads = () => [
    ...["/me", "/me/events", "/me/export", "/tokens", "/projects", "/publishers", "/invitations"],
    ...["", "/releases", "/members", "/publishers", "/previews", "/events", "/profiles"].map((rest) => project + rest),
    ...made.releases.flatMap((id) => [`${project}/releases/${id}`, `${project}/releases/${id}/changes`]),
    `/users/${made.uid}`,
  ];

  async function expectSameReads(): Promise<void> {
    const differences: string[] = [];
    for (const path of reads()) {
      const as = idToken();
      const [earlierOne, presentOne] = [first, second].toSorted((a, b) => a.name.localeCompare(b.name)) as [
        Version,
        Version,
      ];
      const before = await earlierOne.send("GET", path, as);
      const now = await presentOne.send("GET", path, as);
      expect({ path, status: before.status }).toEqual({ path, status: 200 });
      differences.push(...lost(before, now).map((each) => `${path} ${each}`));
    }
    expect(differences).toEqual([]);
  }

  test("the second reads all that the first wrote as the first does", async () => {
    const { send } = first;
    await must(send("POST", "/auth/session", idToken(), { role: "dev" }));
    await must(send("POST", "/auth/session", idToken(`bob-${slug}`), { role: "dev" }));
    const scopes = ["publish", "projects"];
    made.token = (await must(send("POST", "/tokens", idToken(), { name: "laptop", scopes }))).token;
    await must(send("PATCH", "/me", idToken(), { display_name: "Ada", bio: "Makes games." }));
    await must(send("POST", "/projects", made.token, { slug }));
    await publish(first, page);
    await publish(first, { ...page, "level.js": "export const level = 2;" });
    const preview = await publish(first, { ...page, "level.js": "export const level = 3;" }, false);
    await must(send("POST", `${project}/releases/${preview}/preview`, made.token, { name: "pr-1" }));
    await must(send("POST", `${project}/invitations`, idToken(), { role: "admin", to: `bob-${slug}` }));
    await must(
      send("POST", `${project}/publishers`, idToken(), {
        ...{
          provider: "github",
          repository: "ada/game",
          repository_id: "1",
          repository_owner_id: "2",
          workflow: ".github/workflows/publish.yml",
        },
      }),
    );
    await expectSameReads();
  });

  test("the second plays what the first made live, and goes on with its visitors", async () => {
    const opened = await play(first);
    expect(opened.body.toString()).toBe(page["index.html"]);
    const cookies = [opened.headers["set-cookie"]].flat().map((line) => String(line).split(";")[0]);
    expect(cookies.length).toBeGreaterThan(0);
    const cookie = cookies.join("; ");
    // Its visitors stay at their release while the second version makes another one live.
    await publish(second, { ...page, "index.html": "<!doctype html>two" });
    for (const version of [first, second]) {
      const script = await play(version, { cookie, "sec-fetch-dest": "script" }, "/level.js");
      expect([version.name, script.body.toString()]).toEqual([version.name, "export const level = 2;"]);
      expect([version.name, (await play(version)).body.toString()]).toEqual([version.name, "<!doctype html>two"]);
    }
  });

  test("the second changes what the first wrote, and the first reads it", async () => {
    const { send } = second;
    const [oldest = ""] = made.releases;
    const bob = idToken(`bob-${slug}`);
    const [invitation] = (await must(send("GET", "/invitations", bob))).invitations;
    await must(send("POST", `${project}/invitations/${invitation.id}/acceptance`, bob));
    await must(send("PATCH", project, made.token, { name: "Hopper" }));
    await must(send("PATCH", "/me", idToken(), { bio: "Makes many games." }));
    await must(send("POST", `${project}/releases/${oldest}/publish`, made.token));
    await expectSameReads();
    expect((await play(first)).body.toString()).toBe(page["index.html"]);
  });

  test("the first goes on after the second: publishes over its release, and refuses what it revoked", async () => {
    await publish(first, { ...page, "level.js": "export const level = 5;" });
    expect((await play(second, {}, "/level.js")).body.toString()).toBe("export const level = 5;");
    await expectSameReads();
    const { id } = (await must(second.send("GET", "/me", made.token))).auth;
    const revoked = await second.send("DELETE", `/tokens/${id ?? (await tokenId())}`, idToken());
    expect(revoked.status).toBe(204);
    expect((await first.send("GET", "/me", made.token)).status).toBe(401);
    await must(first.send("POST", `${project}/unpublish`, idToken()));
    expect((await play(second)).status).toBe(404);
  });

  async function tokenId(): Promise<string> {
    return (await must(second.send("GET", "/tokens", idToken()))).tokens[0].id;
  }
});
