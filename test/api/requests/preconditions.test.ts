import { afterEach, describe, expect, test } from "@jest/globals";
import { keys } from "../../../functions/table/keys.ts";
import type { Actor } from "../../support/service/actors.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { publish } from "../../support/service/steps.ts";
import { useOwner, useRecordedService } from "../../support/service/suite.ts";
import { setAttribute } from "../../support/table/stored.ts";

/*
 * Preconditions of changes (RFC 9110, section 13): two windows do not overwrite each other.
 */
const service = useRecordedService();
const ada = useOwner(service);
const overtaken = overtakenBy(service);

afterEach(() => service.recorder.plan(undefined));

const edit = (actor: Actor, path: string, body: object, headers: Record<string, string>) =>
  actor.send("PATCH", path, {
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

const resources = [
  { name: "/me", path: () => "/me", read: async () => (await ada.get("/me")).body.user.name },
  {
    name: "/projects/:slug",
    path: () => `/projects/${ada.slug}`,
    read: async () => (await ada.get(`/projects/${ada.slug}`)).body.name,
  },
];

describe.each(resources)("$name", ({ path, read }) => {
  const etagNow = async () => (await ada.get(path())).headers.get("etag") ?? "";

  test("has an ETag, which changes with it and which the response to a change has already", async () => {
    const before = await etagNow();
    expect(before).toMatch(/^"[0-9a-f]{64}"$/);
    expect(await etagNow()).toBe(before);
    const changed = await ada.patch(path(), { name: "Changed" });
    expect(changed.headers.get("etag")).toBe(await etagNow());
    expect(changed.headers.get("etag")).not.toBe(before);
  });

  test("is not sent again to a client that has it", async () => {
    const etag = await etagNow();
    const response = await ada.send("GET", path(), { headers: { "if-none-match": `W/"b", ${etag}` } });
    expect(response.status).toBe(304);
    expect(response.headers.get("etag")).toBe(etag);
    expect(response.body).toBeUndefined();
    expect((await ada.send("GET", path(), { headers: { "if-none-match": '"b"' } })).status).toBe(200);
  });

  test("is changed if it still has the ETag, or one of several, or for If-Match: *", async () => {
    for (const list of [(etag: string) => etag, (etag: string) => `"a" , ${etag}`, () => "*"]) {
      const name = `After ${list("one")}`.replaceAll('"', "");
      expect((await edit(ada, path(), { name }, { "if-match": list(await etagNow()) })).status).toBe(200);
      expect(await read()).toBe(name);
    }
  });

  test("is not changed if another window has changed it meanwhile, or if the ETag is a weak one", async () => {
    const etag = await etagNow();
    await ada.patch(path(), { name: "From another window" });
    for (const outdated of [etag, `W/${await etagNow()}`, '""', ""]) {
      const response = await edit(ada, path(), { name: "Overwritten" }, { "if-match": outdated });
      expect(response).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
    }
    expect(await read()).toBe("From another window");
  });

  test("is not changed if the other change comes between the check and the write", async () => {
    const etag = await etagNow();
    const response = await overtaken(
      () => edit(ada, path(), { name: "Overwritten" }, { "if-match": etag }),
      () => ada.patch(path(), { name: "In between" }),
    );
    expect(response).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
    expect(await read()).toBe("In between");
  });

  test("without a precondition the later of two changes wins", async () => {
    const response = await overtaken(
      () => ada.patch(path(), { name: "Later" }),
      () => ada.patch(path(), { name: "Earlier" }),
    );
    expect(response.status).toBe(200);
    expect(await read()).toBe("Later");
  });

  test("a wrong body is refused before the precondition is looked at", async () => {
    expect((await edit(ada, path(), { name: 1 }, { "if-match": '"a"' })).status).toBe(422);
  });
});

test("by a token, too, a change that comes between the check and the write is not overwritten", async () => {
  const path = `/projects/${ada.slug}`;
  const token = await ada.token({ scopes: ["projects"] });
  const etag = (await ada.get(path)).headers.get("etag") ?? "";
  const response = await overtaken(
    () => edit(token, path, { description: "Overwritten" }, { "if-match": etag }),
    () => ada.patch(path, { description: "In between" }),
  );
  expect(response).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
  expect((await ada.get(path)).body.description).toBe("In between");
});

describe("If-Unmodified-Since", () => {
  const lastModified = async () => (await ada.get(`/projects/${ada.slug}`)).headers.get("last-modified") ?? "";
  const editSince = (since: string, headers = {}) =>
    edit(ada, `/projects/${ada.slug}`, { description: "Since" }, { "if-unmodified-since": since, ...headers });
  const earlier = (time: string) => new Date(Date.parse(time) - 1_000).toUTCString();

  test("compares with when the project was changed, to the second", async () => {
    const time = await lastModified();
    expect(new Date(time).toUTCString()).toBe(time);
    expect(await editSince(earlier(time))).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
    expect((await editSince(time)).status).toBe(200);
  });

  test("a publication and an unpublication change the project, too", async () => {
    for (const change of [
      () => publish(ada, ada.slug, { "index.html": "1" }),
      () => ada.post(`/projects/${ada.slug}/unpublish`),
    ]) {
      await setAttribute(service, keys.project(ada.slug), "updatedAt", "2020-01-01T00:00:00.000Z");
      await change();
      const { body } = await ada.get(`/projects/${ada.slug}`);
      expect(new Date(body.updated_at).getUTCFullYear()).toBeGreaterThan(2020);
      expect(await lastModified()).toBe(new Date(body.updated_at).toUTCString());
    }
  });

  test("is ignored beside If-Match, if it is no date, and for the account, which has no time of its last change", async () => {
    const etag = (await ada.get(`/projects/${ada.slug}`)).headers.get("etag") ?? "";
    const longAgo = "Sun, 06 Nov 1994 08:49:37 GMT";
    expect((await editSince(longAgo, { "if-match": etag })).status).toBe(200);
    expect((await editSince("yesterday")).status).toBe(200);
    expect((await ada.get("/me")).headers.get("last-modified")).toBeNull();
    expect((await edit(ada, "/me", { name: "Ada" }, { "if-unmodified-since": longAgo })).status).toBe(200);
  });
});

test("no cache takes the time of the last change for how long a project stays as it is", async () => {
  expect((await ada.get(`/projects/${ada.slug}`)).headers.get("cache-control")).toBe("no-cache");
  expect((await ada.get("/me")).headers.get("cache-control")).toBe("no-store");
});
