import { beforeEach, describe, expect, test } from "@jest/globals";
import { limits } from "../../../contract/api/limits.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import { addMember } from "../../support/service/operations.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { handOver } from "../../support/service/steps.ts";
import { useOwner, useRecordedService } from "../../support/service/suite.ts";
import { waitingNotices } from "../../support/table/outbox.ts";
import { setAttribute, storedItem } from "../../support/table/stored.ts";

const service = useRecordedService();
const actors = actorsOf(service);
const ada = useOwner(service);
let path: string;
beforeEach(() => {
  path = `/projects/${ada.slug}/publishers`;
});

const github = {
  provider: "github",
  repository_id: "512345678",
  repository_owner_id: "1234567",
  workflow: ".github/workflows/publish.yml",
};
const gitlab = { provider: "gitlab", project_id: "46573356", namespace_id: "68413579" };
const list = async () => (await ada.get(path)).body.publishers;
const events = async () => (await ada.get("/me/events")).body.events;

describe("adding a publisher", () => {
  test("of GitHub trusts the usual events and protected branches alone, unless the request says otherwise", async () => {
    const { status, body } = await ada.post(path, github);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...github,
      id: expect.stringMatching(/^[0-9A-Za-z]{22}$/),
      created_at: expect.any(String),
      added_by: expect.objectContaining({ uid: ada.uid, role: "owner" }),
      issuer: "https://token.actions.githubusercontent.com",
      environment: null,
      may: "publish",
      events: ["push", "release", "workflow_dispatch"],
      ref_protected: true,
      only_latest_run: false,
      repository: null,
    });
    expect(await list()).toEqual([body]);
  });

  test("that lets its jobs open previews alone is another one, and trusts any branch", async () => {
    const { body: publishes } = await ada.post(path, github);
    const { body } = await ada.post(path, { ...github, may: "preview" });
    expect(body).toMatchObject({ may: "preview", ref_protected: false });
    expect((await ada.post(path, { ...github, may: "preview" })).body).toEqual(body);
    expect(await list()).toEqual([publishes, body]);
  });

  test("of GitLab trusts .gitlab-ci.yml on protected branches alone, unless the request says otherwise", async () => {
    const { status, body } = await ada.post(path, { ...gitlab, repository: "ada/star-hopper" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...gitlab,
      issuer: "https://gitlab.com",
      ci_config_path: ".gitlab-ci.yml",
      environment: null,
      ref_protected: true,
      only_latest_run: false,
      repository: "ada/star-hopper",
    });
  });

  test("with an environment leaves branches to the rules of the environment, unless the request says otherwise", async () => {
    expect((await ada.post(path, { ...github, environment: "production" })).body.ref_protected).toBe(false);
    const strict = { ...github, environment: "production", ref_protected: true };
    expect((await ada.post(path, strict)).body.ref_protected).toBe(true);
  });

  test("again responds with the one that is there, whatever the repository is called now", async () => {
    const { body } = await ada.post(path, { ...github, events: ["release", "push"] });
    const again = await ada.post(path, { ...github, events: ["push", "release"], repository: "ada/renamed" });
    expect(again).toMatchObject({ status: 200, body });
    expect(await list()).toEqual([body]);
  });

  test("is an event and a notice of the owner, which name no repository", async () => {
    const { body } = await ada.post(path, { ...github, repository: "ada/star-hopper" });
    const event = { type: "publisher_added", project: ada.slug, publisher_id: body.id };
    expect((await events())[0]).toMatchObject(event);
    const waiting = await waitingNotices(service, accountKey(service.issuer, ada.uid));
    expect(waiting.filter(({ type }) => type === "publisher_added")).toMatchObject([{ project: ada.slug }]);
    expect(JSON.stringify([await events(), waiting])).not.toContain("star-hopper");
  });

  test(`is refused from the ${limits.publishersPerProject}th on, also when two race`, async () => {
    await ada.post(path, github);
    const key = keys.project(ada.slug);
    const { publishers } = (await storedItem(service, key)) as { publishers: object[] };
    const others = Array.from({ length: limits.publishersPerProject - 1 }, (_, index) => ({
      ...publishers[0],
      id: String(index).padStart(22, "0"),
    }));
    await setAttribute(service, key, "publishers", others);
    const racing = await Promise.all(["100", "101"].map((id) => ada.post(path, { ...github, repository_id: id })));
    expect(racing.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(racing.find(({ status }) => status === 409)?.body.code).toBe("publisher_limit_reached");
    expect(await list()).toHaveLength(limits.publishersPerProject);
  });

  test.each([
    ["an issuer that the stage does not know", { ...github, issuer: "https://evil.example" }, "/issuer"],
    ["an issuer of the other provider", { ...github, issuer: "https://gitlab.com" }, "/issuer"],
  ])("is refused with %s", async (_, body, pointer) => {
    expect(await ada.post(path, body)).toMatchObject({
      status: 422,
      body: { code: "validation_failed", errors: [{ pointer, detail: expect.stringMatching(/./) }] },
    });
    expect(await list()).toEqual([]);
  });
});

describe("removing a publisher", () => {
  test("takes it off the list, as an event, and leaves the others", async () => {
    expect(await ada.delete(`${path}/none`)).toMatchObject({ status: 404, body: { code: "publisher_not_found" } });
    const { body: kept } = await ada.post(path, github);
    const { body } = await ada.post(path, gitlab);
    expect((await ada.delete(`${path}/${body.id}`)).status).toBe(204);
    expect(await list()).toEqual([kept]);
    expect((await events())[0]).toMatchObject({ type: "publisher_removed", project: ada.slug, publisher_id: body.id });
    expect(await ada.delete(`${path}/${body.id}`)).toMatchObject({
      status: 404,
      body: { code: "publisher_not_found" },
    });
  });

  test("is possible while the project is suspended, so that a stolen account is cleaned before it is restored", async () => {
    const { body } = await ada.post(path, github);
    await setAttribute(service, keys.project(ada.slug), "suspension", { at: "2026-01-01", reason: "stolen_account" });
    expect((await ada.delete(`${path}/${body.id}`)).status).toBe(204);
    expect(await list()).toEqual([]);
  });

  test("keeps a publisher that was added meanwhile", async () => {
    const { body } = await ada.post(path, github);
    const result = await overtakenBy(service)(
      () => ada.delete(`${path}/${body.id}`),
      () => ada.post(path, gitlab),
    );
    expect(result.status).toBe(204);
    expect(await list()).toMatchObject([gitlab]);
  });
});

test.each<[string, (admin: Developer, id: string) => ReturnType<Developer["get"]>]>([
  ["adds", (admin) => admin.post(path, gitlab)],
  ["removes", (admin, id) => admin.delete(`${path}/${id}`)],
])("an admin who is removed from the project meanwhile %s no publisher", async (_, request) => {
  const { body: kept } = await ada.post(path, github);
  const grace = await actors.otherDeveloper();
  await addMember(ada, ada.slug, grace, "admin");
  const { members } = (await ada.get(`/projects/${ada.slug}/members`)).body;
  const { id } = members.find(({ role }: { role: string }) => role === "admin");
  const response = await overtakenBy(service)(
    () => request(grace, kept.id),
    () => ada.delete(`/projects/${ada.slug}/members/${id}`),
  );
  expect(response).toMatchObject({ status: 404, body: { code: "project_not_found" } });
  expect(await list()).toEqual([kept]);
});

describe("the publishers of a project", () => {
  test("are not the new owner's", async () => {
    await ada.post(path, github);
    const grace = await actors.otherDeveloper();
    expect((await handOver(ada, ada.slug, grace)).status).toBe(200);
    expect((await grace.get(path)).body).toEqual({ publishers: [] });
  });

  test("come back with a project that is restored", async () => {
    const { body } = await ada.post(path, github);
    await ada.delete(`/projects/${ada.slug}`);
    expect(await ada.get(path)).toMatchObject({ status: 410 });
    await ada.post(`/projects/${ada.slug}/restore`);
    expect(await list()).toEqual([body]);
  });
});
