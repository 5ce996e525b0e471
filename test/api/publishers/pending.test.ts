import { beforeEach, describe, expect, test } from "@jest/globals";
import { limits } from "../../../contract/api/limits.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { githubClaims, githubPublisher, newRepository, type Repository } from "../../support/identity/jobs.ts";
import { type Actor, actorsOf, type Developer } from "../../support/service/actors.ts";
import { exchangeAt, useJobIssuers } from "../../support/service/jobs.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { exported, newSlug, publish } from "../../support/service/steps.ts";
import { useRecordedService } from "../../support/service/suite.ts";
import type { RecordedCall } from "../../support/table/dynamodb-recorder.ts";
import { removeAttributes, setAttribute, storedItem } from "../../support/table/stored.ts";

/*
 * Publishers of projects that do not exist yet.
 */
const service = useRecordedService();
const issuers = useJobIssuers();
const actors = actorsOf(service);
let ada: Developer;
let repository: Repository;
let slug: string;
beforeEach(async () => {
  ada = await actors.developer();
  repository = newRepository();
  slug = newSlug();
});

const body = (changes: object = {}) => ({
  project: slug,
  publisher: { ...githubPublisher(repository, issuers.github.issuer), ...changes },
});
const wait = async (person: Actor = ada, changes: object = {}) => {
  const { status } = await person.post("/publishers", body(changes));
  expect(status).toBe(200);
};
const list = async (person: Actor = ada) => (await person.get("/publishers")).body.publishers;

/** Exchange by a job that names ada as the owner, unless another one or nobody is given. */
function exchange(
  changes: Readonly<Record<string, unknown>> = {},
  owner: { readonly owner?: string } = { owner: ada.uid },
) {
  const claims = { aud: service.api, ...githubClaims(repository, changes) };
  return exchangeAt(service, slug, issuers.github.idToken({ claims }), owner);
}

describe("a pending publisher", () => {
  test("creates its project with the first exchange, is its publisher then, and pending no more", async () => {
    await wait();
    expect(await list()).toMatchObject([{ project: slug, publisher: { repository_id: repository.id } }]);
    const { status, body: token } = await exchange();
    expect(status).toBe(200);
    expect((await ada.get("/projects")).body.projects).toMatchObject([{ slug, name: slug }]);
    expect((await ada.get(`/projects/${slug}/publishers`)).body.publishers).toMatchObject([
      { repository_id: repository.id },
    ]);
    expect(await list()).toEqual([]);
    await publish(actors.bearer(token.access_token), slug, { "index.html": "first" });
    expect((await exchange()).status).toBe(200);
    const types = (await ada.get("/me/events")).body.events.map(({ type }: { type: string }) => type);
    expect(types).toEqual(expect.arrayContaining(["publisher_added", "project_created", "token_exchanged"]));
  });

  test("that does not match creates nothing, and the refusal names the claim", async () => {
    await wait();
    expect(await exchange({ event_name: "pull_request_target" })).toMatchObject({
      status: 400,
      body: { error: "invalid_request", error_description: expect.stringContaining(" event_name ") },
    });
    expect((await exchange({ event_name: "schedule" })).body).not.toHaveProperty("needs");
    expect((await ada.get("/projects")).body.projects).toEqual([]);
  });

  test("keeps the slug for nobody: who creates the project has it, and the jobs get nothing", async () => {
    await wait();
    const grace = await actors.otherDeveloper();
    expect((await grace.post("/projects", { slug })).status).toBe(201);
    expect(await exchange()).toMatchObject({ status: 400, body: { error: "invalid_target" } });
    expect(await ada.post("/publishers", body())).toMatchObject({ status: 409, body: { code: "slug_taken" } });
  });

  test("of an attacker never gets the game of a victim, whose job names the victim", async () => {
    const eve = await actors.otherDeveloper();
    await wait(eve);
    expect(await exchange()).toMatchObject({ status: 400, body: { error: "invalid_target" } });
    await wait();
    expect(await exchange()).toMatchObject({ status: 200, body: { owner: { uid: ada.uid, name: "Ada Lovelace" } } });
    expect((await eve.get("/projects")).body.projects).toEqual([]);
    expect((await ada.get("/projects")).body.projects).toMatchObject([{ slug }]);
  });

  test("creates nothing for a job that names no owner, which is told to name one", async () => {
    await wait();
    const error_description = expect.stringContaining("svc publish --owner UID");
    expect(await exchange({}, {})).toMatchObject({ status: 400, body: { error: "invalid_target", error_description } });
    expect((await ada.get("/projects")).body.projects).toEqual([]);
    expect((await exchange()).status).toBe(200);
    // The project is there and trusts the job, and nothing has come from its repository yet.
    expect(await exchange({}, {})).toMatchObject({ status: 400, body: { error: "invalid_target", error_description } });
  });

  test("is replaced by the next one for the same project", async () => {
    await wait(ada, { repository_id: "1" });
    await wait();
    expect(await list()).toMatchObject([{ publisher: { repository_id: repository.id } }]);
  });

  test("stays as it is if the same request comes again, and is one event", async () => {
    const first = await ada.post("/publishers", body());
    expect(await ada.post("/publishers", body({ repository: "ada/renamed" }))).toMatchObject({
      status: 200,
      body: first.body,
    });
    const { events } = (await ada.get("/me/events")).body;
    expect(events.filter(({ type }: { type: string }) => type === "publisher_added")).toHaveLength(1);
  });

  test("ends after 30 days, and when its owner removes it", async () => {
    await wait();
    const [{ expires_at: end, publisher }] = await list();
    expect(Date.parse(end) - Date.parse(publisher.created_at)).toBe(limits.pendingPublisherDays * 86_400_000);
    const key = keys.pendingPublishers(accountKey(service.issuer, ada.uid));
    const stored = await storedItem(service, key);
    const [[name, pending] = []] = Object.entries(stored?.["publishers"] as Record<string, object>);
    await setAttribute(service, key, "publishers", {
      [name ?? ""]: { ...pending, expiresAt: "2026-01-01T00:00:00.000Z" },
    });
    expect(await list()).toEqual([]);
    expect(await exchange()).toMatchObject({ body: { error: "invalid_target" } });
    await wait();
    expect((await ada.delete(`/publishers/${slug}`)).status).toBe(204);
    expect(await exchange()).toMatchObject({ body: { error: "invalid_target" } });
    expect(await ada.delete(`/publishers/${slug}`)).toMatchObject({
      status: 404,
      body: { code: "publisher_not_found" },
    });
  });

  test(`is one of ${limits.pendingPublishersPerAccount} at most, also when two race`, async () => {
    await wait();
    const key = keys.pendingPublishers(accountKey(service.issuer, ada.uid));
    const pending = (await storedItem(service, key))?.["publishers"] as Record<string, object>;
    const others = Array.from({ length: limits.pendingPublishersPerAccount - 1 }, () => [newSlug(), pending[slug]]);
    await setAttribute(service, key, "publishers", Object.fromEntries(others));
    slug = newSlug();
    const racing = await Promise.all(
      [slug, newSlug()].map((project) => ada.post("/publishers", { ...body(), project })),
    );
    expect(racing.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(racing.find(({ status }) => status === 409)?.body.detail).toContain("Remove one");
    const slugs = (await list()).map(({ project }: { project: string }) => project);
    expect(slugs).toHaveLength(limits.pendingPublishersPerAccount);
    expect(slugs).toEqual(slugs.toSorted());
    // Another one for the same project takes the place of the first.
    slug = slugs[0];
    await wait(ada, { repository_id: "1" });
  });

  test("can be had by several accounts for one slug, each of its own", async () => {
    for (const person of [await actors.otherDeveloper(), await actors.otherDeveloper()]) await wait(person);
    await wait();
    expect((await exchange()).status).toBe(200);
    expect((await ada.get("/projects")).body.projects).toMatchObject([{ slug }]);
  });

  test("creates its project if nothing is left of a deleted one that kept the slug for 30 days", async () => {
    await wait();
    const grace = await actors.otherDeveloper();
    await grace.post("/projects", { slug });
    await grace.delete(`/projects/${slug}`);
    const set = (attribute: string, value: unknown) => setAttribute(service, keys.project(slug), attribute, value);
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const refused = (why: string) => ({
      body: { error: "invalid_target", error_description: expect.stringContaining(why) },
    });
    expect(await exchange()).toMatchObject(refused("is deleted"));
    await set("sweptAt", ago(20));
    expect(await exchange()).toMatchObject(refused("is not free"));
    await set("deletedAt", ago(31));
    await set("suspension", { at: ago(31), reason: "spam" });
    expect(await exchange()).toMatchObject(refused("is deleted"));
    await removeAttributes(service, keys.project(slug), "suspension");
    expect((await exchange()).status).toBe(200);
    expect((await ada.get("/projects")).body.projects).toMatchObject([{ slug, description: null }]);
  });

  test("that is removed during the exchange, or goes with its account, creates nothing", async () => {
    await wait();
    const gone = { status: 400, body: { error: "invalid_target" } };
    expect(await overtakenBy(service)(exchange, () => ada.delete(`/publishers/${slug}`))).toMatchObject(gone);
    expect((await ada.get("/projects")).body.projects).toEqual([]);
    await wait();
    const { SK } = keys.account("");
    const readsAccount = ({ input }: RecordedCall) => JSON.stringify(input).includes(`"${SK}"`);
    expect(await overtakenBy(service, readsAccount)(exchange, () => ada.delete("/me"))).toMatchObject(gone);
  });

  test("of a deleted account creates nothing, and of one that is suspended or has no room says why", async () => {
    await wait();
    const key = keys.account(accountKey(service.issuer, ada.uid));
    await setAttribute(service, key, "projectCount", limits.projectsPerAccount);
    expect(await exchange()).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    await setAttribute(service, key, "projectCount", 0);
    await setAttribute(service, key, "suspension", { at: new Date().toISOString(), reason: "spam" });
    expect(await exchange()).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    await removeAttributes(service, key, "suspension");
    const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await setAttribute(service, key, "creations", { day, count: limits.creationsPerAccountAndDay });
    expect(await exchange()).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    expect((await ada.delete("/me")).status).toBe(204);
    expect(await exchange()).toMatchObject({ status: 400, body: { error: "invalid_target" } });
  });

  test("is shown to a narrowed token only if it names the slug", async () => {
    // One slug that begins with another, either way round, is another project.
    const own = [`${slug}x`, slug.slice(0, -2)];
    for (const other of own) await ada.post("/projects", { slug: other });
    await wait();
    expect(await list(await ada.token({ scopes: ["projects"], projects: own }))).toEqual([]);
    expect(await list(await ada.token({ scopes: ["projects"] }))).toMatchObject([{ project: slug }]);
  });

  test("is exported with the account", async () => {
    await wait();
    expect((await exported(ada)).records).toContainEqual(
      expect.objectContaining({ kind: "pending_publisher", pending: expect.objectContaining({ project: slug }) }),
    );
  });

  test("of an issuer that the stage does not know is refused", async () => {
    const unknown = { ...body(), publisher: { ...body().publisher, issuer: "https://evil.example" } };
    expect(await ada.post("/publishers", unknown)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/publisher/issuer" }] },
    });
  });
});
