import { describe, expect, test } from "@jest/globals";
import type { Route } from "../../../contract/api/route.ts";
import { reinstateProject, suspendProject } from "../../../functions/domain/accounts/suspensions.ts";
import { accountKey, type Key, keys } from "../../../functions/table/keys.ts";
import { type RouteName, routes } from "../../support/routes.ts";
import type { Actor } from "../../support/service/actors.ts";
import { useJobs } from "../../support/service/jobs.ts";
import { operations, perform, withProject } from "../../support/service/operations.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { handOver, manifestOf, publish } from "../../support/service/steps.ts";
import { itemsOf, removeItem, storedItem } from "../../support/table/stored.ts";

/*
 * Permissions and expiry of a CI job's token.
 */
const { service, actors, ada, path, trustGitHub, trustGitLab, githubJob, gitlabJob, tokenOf } = useJobs();

type JobActor = Awaited<ReturnType<typeof tokenOf>>;

const revokeByForm = ({ credential: token }: JobActor) =>
  actors.anonymous.send("POST", "/oauth/revoke", {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ client_id: "svc-cli", token }).toString(),
  });

describe.each([
  ["GitHub", trustGitHub, githubJob],
  ["GitLab", trustGitLab, gitlabJob],
])("of %s", (_provider, trust, job) => {
  test("the token of a job acts on its project alone, and tells nothing of the account", async () => {
    await trust();
    const ci = await tokenOf(job());
    const { body: other } = await ada.post("/projects", { slug: `${ada.slug.slice(0, 30)}-other` });
    expect(await ci.get(`/projects/${other.slug}/releases`)).toMatchObject({ body: { code: "project_not_in_token" } });
    for (const get of ["/me", "/projects"])
      expect(await ci.get(get)).toMatchObject({ status: 403, body: { code: "project_not_in_token" } });
    expect(await ci.post(path("publishers"), {})).toMatchObject({ status: 403, body: { code: "session_required" } });
    expect(await ci.get(path("publishers"))).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    expect(await ci.delete(`/projects/${ada.slug}`)).toMatchObject({ status: 403, body: { code: "session_required" } });
  });

  test("the token of a job reads no message of a release, and no name of its owner's tokens", async () => {
    await trust();
    const ci = await tokenOf(job());
    const token = await ada.token({ name: "private name" });
    const files = { "index.html": "1" };
    const { body } = await ada.post(path("releases"), { files: manifestOf(files), message: "private message" });
    expect(body.release.message).toBe("private message");
    await publish(token, ada.slug, files);
    expect(JSON.stringify((await ada.get(path("releases"))).body)).toMatch(/private message.*private name/);
    const { id } = body.release;
    const described = { files: manifestOf({ ...files, "a.txt": "1" }), message: "private message" };
    const { body: preview } = await ada.post(path("releases"), described);
    expect((await ada.post(path(`releases/${preview.release.id}/preview`))).status).toBe(200);
    const responses = [
      await ci.get(path("releases")),
      await ci.get(path(`releases/${id}`)),
      await ci.post(path("releases"), { files: manifestOf(files) }),
      await ci.post(path(`releases/${id}/publish`)),
      await ci.get(path("previews")),
      await ci.post(path(`releases/${preview.release.id}/preview`)),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(responses[4]?.body.previews).toHaveLength(1);
    expect(JSON.stringify(responses.map((response) => response.body))).not.toContain("private");
  });

  test.each([
    ["withdraws no release", (first: string) => `releases/${first}/withdraw`, "session_required", "Send an ID token"],
    ["does not take the game offline", () => "unpublish", "insufficient_scope", "nothing else"],
    ["does not roll back", (first: string) => `releases/${first}/publish`, "insufficient_scope", "a person decides"],
  ])("the token of a job %s: it takes nothing away from visitors", async (_, act, code, detail) => {
    await trust();
    const ci = await tokenOf(job());
    const first = await publish(ci, ada.slug, { "index.html": "1" });
    const second = await publish(ci, ada.slug, { "index.html": "2" });
    const refusal = { status: 403, body: { code, detail: expect.stringContaining(detail) } };
    expect(await ci.post(path(act(first)))).toMatchObject(refusal);
    expect((await ada.get(path("releases"))).body.releases).toMatchObject([
      { id: second, status: "live" },
      { id: first, status: "published" },
    ]);
  });

  test("the token of a job is none of the account's 50, is not listed or replaced, warns of no expiry, and goes by TTL", async () => {
    await trust();
    const ci = await tokenOf(job());
    const key = accountKey(service.issuer, ada.uid);
    expect(await storedItem(service, keys.account(key))).toMatchObject({ activeTokens: {} });
    expect((await ada.get("/tokens")).body.tokens).toEqual([]);
    const items = await itemsOf(service, keys.account(key).PK);
    const [stored] = items.filter(({ SK }) => String(SK).startsWith("TOKEN#"));
    expect(stored?.["ttl"]).toBe(Math.ceil(Date.parse(String(stored?.["expiresAt"])) / 1_000));
    expect((await ada.post(`/tokens/${stored?.["id"]}/replacement`)).status).toBe(404);
    const { headers } = await ci.get(path("releases"));
    expect([...headers.keys()].filter((name) => name.includes("token-expires"))).toEqual([]);
    // Neither its first use nor a new network is an event or a mail: its exchange is one already.
    const types = (await ada.get("/me/events")).body.events.map(({ type }: { type: string }) => type);
    expect(types.filter((type: string) => type.startsWith("token_"))).toEqual(["token_exchanged"]);
  });

  test.each<[string, (ci: JobActor) => ReturnType<Actor["get"]>, number]>([
    ["DELETE /tokens/current", (ci) => ci.delete("/tokens/current"), 204],
    ["POST /oauth/revoke", revokeByForm, 200],
  ])("the token of a job ends with its job by %s, which tells nobody", async (_, end, status) => {
    await trust();
    const ci = await tokenOf(job());
    expect((await end(ci)).status).toBe(status);
    expect(await ci.get(path("releases"))).toMatchObject({ status: 401, body: { code: "token_revoked" } });
    expect(JSON.stringify((await ada.get("/me/events")).body)).not.toContain("token_revoked");
  });

  test("the token of a job that is handed in as leaked ends, and its owner sees where it was found", async () => {
    await trust();
    const ci = await tokenOf(job());
    const found_at = "https://ci.example/log";
    const disclosed = { tokens: [{ token: ci.credential, found_at }] };
    expect((await actors.anonymous.post("/tokens/disclosures", disclosed)).status).toBe(202);
    expect(await ci.get(path("releases"))).toMatchObject({ status: 401, body: { code: "token_revoked" } });
    const { events } = (await ada.get("/me/events")).body;
    expect(events).toContainEqual(expect.objectContaining({ type: "token_disclosed", found_at }));
  });

  test("the token of a job that is erased with its account while it ends is not stored again", async () => {
    await trust();
    const ci = await tokenOf(job());
    const { PK } = keys.account(accountKey(service.issuer, ada.uid));
    const tokens = async () => (await itemsOf(service, PK)).filter(({ SK }) => String(SK).startsWith("TOKEN#"));
    const response = await overtakenBy(service)(
      () => ci.delete("/tokens/current"),
      async () => removeItem(service, (await tokens())[0] as unknown as Key),
    );
    expect(response.status).toBe(204);
    expect(await tokens()).toEqual([]);
  });

  const ends: [string, (publisher: string) => Promise<unknown>][] = [
    ["its publisher is removed", (publisher) => ada.delete(`${path("publishers")}/${publisher}`)],
    [
      "its publisher is removed and added again",
      async (publisher) => {
        await ada.delete(`${path("publishers")}/${publisher}`);
        await trust();
      },
    ],
    [
      "its project is deleted and restored",
      async () => {
        await ada.delete(`/projects/${ada.slug}`);
        expect((await ada.post(`/projects/${ada.slug}/restore`)).status).toBe(200);
      },
    ],
    [
      "its project is suspended and reinstated",
      async () => {
        await suspendProject(ada.slug, "malware", new Date());
        await reinstateProject(ada.slug, new Date());
      },
    ],
  ];

  test.each(ends)("the token of a job is refused from the next request on when %s", async (_, end) => {
    const publisher = await trust();
    const ci = await tokenOf(job());
    expect((await ci.get(path("releases"))).status).toBe(200);
    await end(publisher);
    for (const response of [
      await ci.get(path("releases")),
      await ci.post(path("releases"), { files: manifestOf({ a: "b" }) }),
    ])
      expect(response).toMatchObject({
        status: 401,
        body: { code: "token_revoked", detail: expect.stringContaining("Its owner can add a publisher.") },
      });
  });

  test("the token of a job is refused when the project is handed over, also when it comes back", async () => {
    await trust();
    const ci = await tokenOf(job());
    const grace = await actors.otherDeveloper();
    expect((await handOver(ada, ada.slug, grace)).status).toBe(200);
    expect(await ci.get(path("releases"))).toMatchObject({ status: 401 });
    expect((await handOver(grace, ada.slug, ada)).status).toBe(200);
    await trust();
    expect(await ci.get(path("releases"))).toMatchObject({ status: 401, body: { code: "token_revoked" } });
  });
});

describe("a project that refuses tokens", () => {
  /** All that a token changes of a project. */
  const changes = (Object.keys(routes) as RouteName[]).filter((name) => {
    const { project, method, credential } = routes[name] as Route;
    return project !== undefined && method !== "GET" && credential === "any";
  });
  const refused = { status: 403, body: { code: "tokens_refused", detail: expect.stringContaining("by a CI job") } };
  const refuse = (owner: Actor, slug: string, refuses = true) =>
    owner.patch(`/projects/${slug}`, { refuse_tokens: refuses });

  test.each(changes)("refuses %s by a token, also if it is under way, and takes it of a person", async (name) => {
    const owner = await withProject(await actors.developer());
    const token = await owner.token({ scopes: ["publish", "projects"] });
    await token.get("/me");
    const operation = await operations[name](owner);
    // Upload URLs are given out without a write, after the token was read again.
    let reads = 0;
    const isSecondRead = ({ operation: call }: { operation: string }) => call === "BatchGetItem" && ++reads === 2;
    const isUpload = ["continueUpload", "createUploads", "unpackFiles"].includes(name);
    const response = await overtakenBy(service, isUpload ? isSecondRead : undefined)(
      () => perform(token, operation),
      () => refuse(owner, owner.slug),
    );
    expect(response).toMatchObject(refused);
    expect(await perform(token, operation)).toMatchObject(refused);
    expect((await perform(owner, operation)).status).toBeLessThan(300);
  });

  test("refuses a token that finds a draft again while this is decided", async () => {
    const token = await ada.token({ scopes: ["publish", "projects"] });
    const files = manifestOf({ "index.html": "1" });
    expect((await token.post(path("releases"), { files })).status).toBe(201);
    const response = await overtakenBy(service)(
      () => token.post(path("releases"), { files, message: "again" }),
      () => refuse(ada, ada.slug),
    );
    expect(response).toMatchObject(refused);
    expect((await ada.get(path("releases"))).body.releases).toMatchObject([{ message: null }]);
  });

  test("lets a token read, takes CI jobs, and no token decides whether it does", async () => {
    await trustGitHub();
    const token = await ada.token({ scopes: ["publish", "projects"] });
    const session = { status: 403, body: { code: "session_required" } };
    expect(await refuse(token, ada.slug)).toMatchObject(session);
    expect(await refuse(ada, ada.slug)).toMatchObject({ status: 200, body: { refuse_tokens: true } });
    expect(await refuse(token, ada.slug, false)).toMatchObject(refused);
    expect((await token.get(path("releases"))).status).toBe(200);
    await publish(await tokenOf(githubJob()), ada.slug, { "index.html": "by a job" });
    const files = manifestOf({ "index.html": "by a token" });
    expect(await token.post(path("releases"), { files })).toMatchObject(refused);
    expect(await refuse(ada, ada.slug, false)).toMatchObject({ status: 200, body: { refuse_tokens: false } });
    await publish(token, ada.slug, { "index.html": "by a token" });
  });
});
