import { describe, expect, test } from "@jest/globals";
import { reinstateProject, suspendProject } from "../../../functions/domain/accounts/suspensions.ts";
import { accountKey, type Key, keys } from "../../../functions/table/keys.ts";
import type { Actor } from "../../support/service/actors.ts";
import { useJobs } from "../../support/service/jobs.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { handOver, manifestOf, publish } from "../../support/service/steps.ts";
import { itemsOf, removeItem, storedItem } from "../../support/table/stored.ts";

/*
 * Permissions and expiry of a CI job's token.
 */
const { service, actors, ada, path, trustGitHub, githubJob, tokenOf, trustedJob } = useJobs();

type JobActor = Awaited<ReturnType<typeof tokenOf>>;

const revokeByForm = ({ credential: token }: JobActor) =>
  actors.anonymous.send("POST", "/oauth/revoke", {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ client_id: "svc-cli", token }).toString(),
  });

describe("the token of a job", () => {
  test("acts on its project alone, and tells nothing of the account", async () => {
    const ci = await trustedJob();
    const { body: other } = await ada.post("/projects", { slug: `${ada.slug.slice(0, 30)}-other` });
    expect(await ci.get(`/projects/${other.slug}/releases`)).toMatchObject({ body: { code: "project_not_in_token" } });
    for (const get of ["/me", "/projects"])
      expect(await ci.get(get)).toMatchObject({ status: 403, body: { code: "project_not_in_token" } });
    expect(await ci.post(path("publishers"), {})).toMatchObject({ status: 403, body: { code: "session_required" } });
    expect(await ci.get(path("publishers"))).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    expect(await ci.delete(`/projects/${ada.slug}`)).toMatchObject({ status: 403, body: { code: "session_required" } });
  });

  test("reads no message of a release, and no name of its owner's tokens", async () => {
    const ci = await trustedJob();
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

  test("withdraws nothing, takes nothing offline and rolls nothing back: it takes nothing away from visitors", async () => {
    const ci = await trustedJob();
    const first = await publish(ci, ada.slug, { "index.html": "1" });
    const second = await publish(ci, ada.slug, { "index.html": "2" });
    for (const [act, code, detail] of [
      [`releases/${first}/withdraw`, "session_required", "Send an ID token"],
      ["unpublish", "insufficient_scope", "nothing else"],
      [`releases/${first}/publish`, "insufficient_scope", "a person decides"],
    ] as const) {
      const refusal = { status: 403, body: { code, detail: expect.stringContaining(detail) } };
      expect(await ci.post(path(act))).toMatchObject(refusal);
    }
    expect((await ada.get(path("releases"))).body.releases).toMatchObject([
      { id: second, status: "live" },
      { id: first, status: "published" },
    ]);
  });

  test("is none of the account's 50, is not listed or replaced, warns of no expiry, and goes by TTL", async () => {
    const ci = await trustedJob();
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
  ])("ends with its job by %s, which tells nobody", async (_, end, status) => {
    const ci = await trustedJob();
    expect((await end(ci)).status).toBe(status);
    expect(await ci.get(path("releases"))).toMatchObject({ status: 401, body: { code: "token_revoked" } });
    expect(JSON.stringify((await ada.get("/me/events")).body)).not.toContain("token_revoked");
  });

  test("that is handed in as leaked ends, and its owner sees where it was found", async () => {
    const ci = await trustedJob();
    const found_at = "https://ci.example/log";
    const disclosed = { tokens: [{ token: ci.credential, found_at }] };
    expect((await actors.anonymous.post("/tokens/disclosures", disclosed)).status).toBe(202);
    expect(await ci.get(path("releases"))).toMatchObject({ status: 401, body: { code: "token_revoked" } });
    const { events } = (await ada.get("/me/events")).body;
    expect(events).toContainEqual(expect.objectContaining({ type: "token_disclosed", found_at }));
  });

  test("that is erased with its account while it ends is not stored again", async () => {
    const ci = await trustedJob();
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
    [
      "its publisher is removed and added again",
      async (publisher) => {
        await ada.delete(`${path("publishers")}/${publisher}`);
        await trustGitHub();
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

  test.each(ends)("is refused from the next request on when %s", async (_, end) => {
    const publisher = await trustGitHub();
    const ci = await tokenOf(githubJob());
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

  test("is refused when the project is handed over, also when it comes back", async () => {
    const ci = await trustedJob();
    const grace = await actors.otherDeveloper();
    expect((await handOver(ada, ada.slug, grace)).status).toBe(200);
    expect(await ci.get(path("releases"))).toMatchObject({ status: 401 });
    expect((await handOver(grace, ada.slug, ada)).status).toBe(200);
    await trustGitHub();
    expect(await ci.get(path("releases"))).toMatchObject({ status: 401, body: { code: "token_revoked" } });
  });
});

describe("a project that refuses tokens", () => {
  const refused = { status: 403, body: { code: "tokens_refused", detail: expect.stringContaining("by a CI job") } };
  const refuse = (owner: Actor, slug: string, refuses = true) =>
    owner.patch(`/projects/${slug}`, { refuse_tokens: refuses });

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
