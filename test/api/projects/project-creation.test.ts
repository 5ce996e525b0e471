import { describe, expect, test } from "@jest/globals";
import { accountKey, type Key, keys } from "../../../functions/table/keys.ts";
import { githubClaims, githubPublisher, newRepository } from "../../support/identity/jobs.ts";
import { actorsOf, type Person } from "../../support/service/actors.ts";
import { exchangeAt, useJobIssuers } from "../../support/service/jobs.ts";
import { newProject, newSlug } from "../../support/service/steps.ts";
import { useRecordedService } from "../../support/service/suite.ts";
import { itemsOf, setAttribute, storedItem, storeItems } from "../../support/table/stored.ts";
import { newProjectBody } from "./new-project-body.ts";

const service = useRecordedService();
const issuers = useJobIssuers();
const actors = actorsOf(service);

const keyOf = ({ uid }: Person) => accountKey(service.issuer, uid);
const stored = (key: Key) => storedItem(service, key);

async function storedEvents(person: Person) {
  const items = await itemsOf(service, keys.account(keyOf(person)).PK);
  return items.filter(({ SK }) => String(SK).startsWith("EVENT#"));
}

describe("POST /projects", () => {
  test("creates a project with its ownership, its place in the count and its event", async () => {
    const ada = await actors.developer();
    const slug = newSlug();
    const { status, headers, body } = await ada.post("/projects", { slug, name: "My game", description: "Jump!" });
    expect(status).toBe(201);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toEqual({
      ...newProjectBody(service, slug),
      role: "owner",
      name: "My game",
      description: "Jump!",
      updated_at: body.created_at,
      storage: { bytes: 0, objects: 0 },
    });
    expect(await stored(keys.project(slug))).toEqual({
      ...keys.project(slug),
      slug,
      ownerKey: keyOf(ada),
      name: "My game",
      description: "Jump!",
      createdAt: body.created_at,
      updatedAt: body.created_at,
    });
    expect(await stored(keys.ownership(keyOf(ada), slug))).toMatchObject({ slug });
    expect(await stored(keys.account(keyOf(ada)))).toMatchObject({ projectCount: 1 });
    const events = await storedEvents(ada);
    const ttl = Math.floor(Date.parse(body.created_at) / 1_000) + 400 * 86_400;
    expect(events.filter(({ type }) => type === "project_created")).toMatchObject([{ project: slug, ttl }]);
  });

  test.each([
    ["its own request", "POST /projects"],
    ["a CI job's first publication", "POST /oauth/token"],
  ])("refuses %s if the account has deleted 50 projects whose slugs it still keeps from others", async (_, by) => {
    const ada = await actors.developer();
    const slug = newSlug();
    const repository = newRepository();
    const publisher = githubPublisher(repository, issuers.github.issuer);
    const create = async () => {
      if (by === "POST /projects") return await ada.post("/projects", { slug });
      const job = issuers.github.idToken({ claims: { aud: service.api, ...githubClaims(repository) } });
      return await exchangeAt(service, slug, job, { owner: ada.uid });
    };
    expect((await ada.post("/publishers", { project: slug, publisher })).status).toBe(200);
    const [now, day] = [Math.floor(Date.now() / 1_000), 86_400];
    const deleted = (count: number, ttl: number) =>
      Array.from({ length: count }, () => ({ ...keys.deletedProject(keyOf(ada), newSlug()), slug: "x", ttl }));
    await storeItems(service, deleted(50, now + 29 * day));
    const refused = await create();
    expect({ status: refused.status, why: refused.body.code ?? refused.body.error }).toEqual(
      by === "POST /projects" ? { status: 409, why: "project_limit_reached" } : { status: 400, why: "invalid_grant" },
    );
    expect(refused.body.detail ?? refused.body.error_description).toContain("has deleted 50 projects within 30 days");
    // DynamoDB deletes some days late.
    const [first] = (await itemsOf(service, keys.account(keyOf(ada)).PK)).filter(({ SK }) =>
      String(SK).startsWith("DELETED#"),
    );
    await setAttribute(service, { PK: String(first?.["PK"]), SK: String(first?.["SK"]) } as Key, "ttl", now - day);
    expect([200, 201]).toContain((await create()).status);
  });

  test("gives a project without a name its slug as name", async () => {
    const slug = newSlug();
    const { body } = await (await actors.developer()).post("/projects", { slug });
    expect(body).toMatchObject({ name: slug, description: null });
  });

  test("accepts a token with the scope projects, which the event names", async () => {
    const ada = await actors.developer();
    const token = await ada.token({ scopes: ["projects"] });
    const slug = newSlug();
    expect(await token.post("/projects", { slug })).toMatchObject({ status: 201 });
    const events = await storedEvents(ada);
    expect(events.filter(({ type }) => type === "project_created")).toMatchObject([
      { project: slug, tokenId: token.id },
    ]);
  });

  test("refuses a narrowed token a slug that it does not name, also one that begins with one that it does, or the reverse", async () => {
    const ada = await actors.developer();
    const named = await newProject(ada);
    const token = await ada.token({ scopes: ["projects"], projects: [named] });
    for (const slug of [newSlug(), `${named}x`, named.slice(0, -2)]) {
      const refused = { status: 403, body: { code: "project_not_in_token" } };
      expect(await token.post("/projects", { slug })).toMatchObject(refused);
      expect(await stored(keys.project(slug))).toBeUndefined();
    }
  });

  test("refuses a slug that is in use, and says so to its owner", async () => {
    const ada = await actors.developer();
    const other = await actors.otherDeveloper();
    const slug = await newProject(ada);
    const refused = await other.post("/projects", { slug });
    expect(refused).toMatchObject({
      status: 409,
      body: { code: "slug_taken", detail: "Another project has this slug. Choose a different one." },
    });
    expect(await ada.post("/projects", { slug })).toMatchObject({
      status: 409,
      body: { code: "slug_taken", detail: "You have a project with this slug already." },
    });
    expect(await stored(keys.project(slug))).toMatchObject({ ownerKey: keyOf(ada) });
    expect(await stored(keys.account(keyOf(other)))).toMatchObject({ projectCount: 0 });
    expect(await stored(keys.ownership(keyOf(other), slug))).toBeUndefined();
  });
});
