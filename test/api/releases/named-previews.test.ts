import { beforeEach, describe, expect, test } from "@jest/globals";
import { reinstateProject, suspendProject } from "../../../functions/domain/accounts/suspensions.ts";
import { keys } from "../../../functions/table/keys.ts";
import type { Actor } from "../../support/service/actors.ts";
import { useJobs } from "../../support/service/jobs.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { handOver, manifestOf, offer, openRelease, publish } from "../../support/service/steps.ts";
import { setAttribute, storedItem } from "../../support/table/stored.ts";

/*
 * Previews with names, and the switch that keeps a preview. test/long/journeys/named-previews.test.ts has what players get of them.
 */
const { service, actors, ada, path, trustGitHub, githubJob, tokenOf } = useJobs();
const day = 86_400;
let at: string;
beforeEach(() => {
  at = path("releases");
});

const opened = async (text: string, by: Actor = ada): Promise<string> =>
  (await openRelease(by, ada.slug, { "index.html": text })).body.release.id;
const show = (id: string, body: object = { name: "pr-12" }, by: Actor = ada) => by.post(`${at}/${id}/preview`, body);
const list = async () => (await ada.get(path("previews"))).body.previews;
const keep = (kept: boolean, called = "pr-12", by: Actor = ada) => by.patch(path(`previews/${called}`), { kept });
const stored = async () => (await storedItem(service, keys.project(ada.slug))) as { previews?: { manifest: string }[] };
const manifestOfRelease = async (id: string) =>
  ((await storedItem(service, keys.release(ada.slug, id))) as { manifest: string; ttl: number }).manifest;
const secondsUntil = (time: string) => (Date.parse(time) - Date.now()) / 1_000;

describe("a preview with a name", () => {
  test("has one URL, at which each release with that name takes the place of the one before", async () => {
    const [first, second] = [await opened("1"), await opened("2")];
    const { status, body } = await show(first);
    expect({ status, preview: body.preview }).toMatchObject({
      status: 200,
      preview: { name: "pr-12", release: { id: first, status: "open" }, kept: false },
    });
    expect(body.preview.url).toMatch(new RegExp(`//${ada.slug}--[0-9a-f]{20}\\.`));
    expect(body.preview.url).not.toContain((await manifestOfRelease(first)).slice(0, 20));
    const replaced = (await show(second)).body.preview;
    expect(replaced).toMatchObject({ name: "pr-12", url: body.preview.url, release: { id: second } });
    expect(await list()).toEqual([replaced]);
    expect((await show(second)).body.preview).toEqual(replaced);
    expect((await ada.get(`${at}/${first}`)).body.status).toBe("open");
  });

  test("counts once towards the limit, however often it is replaced", async () => {
    const ids = await Promise.all(["1", "2"].map((text) => opened(text)));
    for (let index = 1; index < 10; index += 1)
      expect((await show(ids[0] ?? "", { name: `pr-${index}` })).status).toBe(200);
    for (const id of [...ids, ...ids]) expect((await show(id)).status).toBe(200);
    expect(await list()).toHaveLength(10);
    expect(await show(ids[0] ?? "", { name: "pr-13" })).toMatchObject({
      status: 409,
      body: { code: "too_many_previews" },
    });
    expect(await show(ids[0] ?? "", {})).toMatchObject({ status: 409, body: { code: "too_many_previews" } });
  });

  test("remembers the two releases before, for visits that began with them", async () => {
    const ids = [];
    for (const text of ["1", "2", "3", "4"]) ids.push(await opened(text));
    for (const id of ids) await show(id);
    const digests = await Promise.all(ids.map(manifestOfRelease));
    expect((await stored()).previews).toMatchObject([{ manifest: digests[3], earlier: [digests[2], digests[1]] }]);
    await show(ids[2] ?? "");
    expect((await stored()).previews).toMatchObject([{ manifest: digests[2], earlier: [digests[3], digests[1]] }]);
  });

  test("gets another URL if it is to have one, or was ended in between", async () => {
    const id = await opened("1");
    const urls = [(await show(id)).body.preview.url];
    urls.push((await show(id, { name: "pr-12", new_url: true })).body.preview.url);
    expect(await list()).toHaveLength(1);
    await ada.delete(path("previews/pr-12"));
    expect(await list()).toEqual([]);
    urls.push((await show(id)).body.preview.url, (await show(id, { name: "pr-13" })).body.preview.url);
    urls.push((await show(id, {})).body.preview.url);
    expect(new Set(urls).size).toBe(5);
  });

  test("ends by its name or its release, and one without a name by its release's id", async () => {
    const id = await opened("1");
    await show(id);
    await show(id, {});
    expect((await ada.delete(path(`previews/${id}`))).status).toBe(200);
    expect(await list()).toMatchObject([{ name: "pr-12" }]);
    expect((await ada.delete(path("previews/pr-13"))).status).toBe(200);
    await show(id, { name: "pr-13" });
    expect((await ada.delete(`${at}/${id}/preview`)).status).toBe(200);
    expect(await list()).toEqual([]);
  });

  test.each(["", "PR-12", "pr 12", "-pr", "pr-", "a/b", "x".repeat(41)])("is not called %p", async (name) => {
    expect(await show(await opened("1"), { name })).toMatchObject({ status: 422, body: { code: "validation_failed" } });
  });

  test("is gone when its release goes live or is withdrawn, also from what others showed before", async () => {
    const [first, second] = [await opened("1"), await opened("2")];
    await show(first);
    await show(second);
    await show(first, { name: "other" });
    await publish(ada, ada.slug, { "index.html": "1" });
    expect(await list()).toMatchObject([{ name: "pr-12" }]);
    const digest = await manifestOfRelease(first);
    expect((await stored()).previews).toMatchObject([{ earlier: [digest] }]);
    await publish(ada, ada.slug, { "index.html": "3" });
    expect((await ada.post(`${at}/${first}/withdraw`)).status).toBe(200);
    expect(JSON.stringify((await stored()).previews)).not.toContain(digest);
    expect(await list()).toMatchObject([{ name: "pr-12", release: { id: second } }]);
  });

  test("is not the new owner's, and what was opened during the hand-over is not either", async () => {
    const id = await opened("1");
    await show(id);
    const grace = await actors.otherDeveloper();
    const response = await overtakenBy(service)(await offer(ada, ada.slug, grace), () => show(id, { name: "late" }));
    expect(response.status).toBe(200);
    expect((await grace.get(path("previews"))).body.previews).toEqual([]);
    expect(await stored()).not.toHaveProperty("previews");
  });
});

const overtaken = (by: () => Promise<unknown>, request: () => ReturnType<typeof show>) =>
  overtakenBy(service)(request, by);

describe("at the same time", () => {
  test("two pushes of one name make one preview with one URL", async () => {
    const [first, second] = [await opened("1"), await opened("2")];
    let other: Awaited<ReturnType<typeof show>> | undefined;
    const response = await overtaken(
      async () => {
        other = await show(second);
      },
      () => show(first),
    );
    expect(response.body.preview.url).toBe(other?.body.preview.url);
    expect(await list()).toMatchObject([{ name: "pr-12", release: { id: first } }]);
    expect((await stored()).previews).toMatchObject([{ earlier: [await manifestOfRelease(second)] }]);
  });

  test("a preview that is replaced while its name ends is gone, and stays if its release's ends", async () => {
    const [first, second] = [await opened("1"), await opened("2")];
    await show(first);
    expect(
      (
        await overtaken(
          () => show(second),
          () => ada.delete(path("previews/pr-12")),
        )
      ).status,
    ).toBe(200);
    expect(await list()).toEqual([]);
    await show(first);
    expect(
      (
        await overtaken(
          () => show(second),
          () => ada.delete(`${at}/${first}/preview`),
        )
      ).status,
    ).toBe(200);
    expect(await list()).toMatchObject([{ release: { id: second } }]);
  });

  test("a preview that ends while it is replaced is opened with another URL", async () => {
    const [first, second] = [await opened("1"), await opened("2")];
    const before = (await show(first)).body.preview.url;
    const { body } = await overtaken(
      () => ada.delete(path("previews/pr-12")),
      () => show(second),
    );
    expect(body.preview.url).not.toBe(before);
    expect(await list()).toEqual([body.preview]);
  });

  test.each<[string, () => Promise<unknown>, number, string]>([
    ["deleted", () => ada.delete(`/projects/${ada.slug}`), 410, "project_deleted"],
    ["suspended", () => suspendProject(ada.slug, "malware", new Date()), 403, "project_suspended"],
    [
      "handed over",
      async () => {
        const { status } = await handOver(ada, ada.slug, await actors.otherDeveloper());
        expect(status).toBe(200);
      },
      404,
      "project_not_found",
    ],
  ])("a project that is %s has no preview that was under way", async (_, change, status, code) => {
    const id = await opened("1");
    expect(await overtaken(change, () => show(id))).toMatchObject({ status, body: { code } });
    expect(await stored()).not.toHaveProperty("previews");
    if (code === "project_suspended") await reinstateProject(ada.slug, new Date());
  });

  test("a release that expires while its preview is opened or kept has none", async () => {
    const id = await opened("1");
    const expire = () => setAttribute(service, keys.release(ada.slug, id), "ttl", Math.floor(Date.now() / 1_000) - 1);
    expect(await overtaken(expire, () => show(id))).toMatchObject({ status: 404, body: { code: "release_not_found" } });
    const other = await opened("2");
    await show(other);
    const expireOther = () =>
      setAttribute(service, keys.release(ada.slug, other), "ttl", Math.floor(Date.now() / 1_000) - 1);
    expect(await overtaken(expireOther, () => keep(true))).toMatchObject({ status: 404 });
  });

  test("an earlier release that goes live or is withdrawn while its preview is opened has none", async () => {
    const first = await publish(ada, ada.slug, { "index.html": "1" });
    const second = await publish(ada, ada.slug, { "index.html": "2" });
    const live = () => ada.post(`${at}/${first}/publish`);
    expect(await overtaken(live, () => show(first, {}))).toMatchObject({ status: 409, body: { code: "release_live" } });
    const withdrawn = () => ada.post(`${at}/${second}/withdraw`);
    expect(await overtaken(withdrawn, () => show(second, {}))).toMatchObject({
      status: 409,
      body: { code: "release_withdrawn" },
    });
    expect(await list()).toEqual([]);
  });

  test("a job, which may make no earlier release live, shows none either", async () => {
    const first = await publish(ada, ada.slug, { "index.html": "1" });
    await publish(ada, ada.slug, { "index.html": "2" });
    await trustGitHub();
    expect(await show(first, {}, await tokenOf(githubJob()))).toMatchObject({
      status: 403,
      body: { code: "insufficient_scope" },
    });
  });

  test("a preview that goes live while it is kept is gone, and its release does not expire", async () => {
    const id = await opened("1");
    await show(id);
    const response = await overtaken(
      () => ada.post(`${at}/${id}/publish`, {}),
      () => keep(true),
    );
    expect(response).toMatchObject({ status: 404, body: { code: "preview_not_found" } });
    expect((await ada.get(`${at}/${id}`)).body).toMatchObject({ status: "live", expires_at: null });
  });

  test("a preview that is replaced while it is kept is kept with the other release", async () => {
    const [first, second] = [await opened("1"), await opened("2")];
    await show(first);
    const { body } = await overtaken(
      () => show(second),
      () => keep(true),
    );
    expect(body.preview).toMatchObject({ kept: true, release: { id: second } });
    expect(secondsUntil((await ada.get(`${at}/${first}`)).body.expires_at)).toBeLessThan(7.1 * day);
  });
});

describe("the switch that keeps a preview", () => {
  test.each([
    ["with a name", { name: "pr-12" }],
    ["without one", {}],
  ])("%s lets it and its release live for 30 days, and no longer if it is off", async (_, body) => {
    const id = await opened("1");
    await show(id, body);
    const called = "name" in body ? body.name : id;
    const { status, body: kept } = await keep(true, called);
    expect(status).toBe(200);
    expect(kept.preview).toMatchObject({ kept: true, release: { expires_at: kept.preview.expires_at } });
    expect(secondsUntil(kept.preview.expires_at)).toBeGreaterThan(30 * day - 1);
    expect(secondsUntil(kept.preview.expires_at)).toBeLessThanOrEqual(31 * day);
    expect((await keep(true, called)).body.preview).toEqual(kept.preview);
    // Publishing the same files again does not shorten it.
    await ada.post(at, { files: manifestOf({ "index.html": "1" }), message: "again" });
    expect((await ada.get(`${at}/${id}`)).body.expires_at).toBe(kept.preview.expires_at);
    const { ttl } = (await storedItem(service, keys.openManifest(ada.slug, await manifestOfRelease(id)))) as {
      ttl: number;
    };
    expect(ttl).toBe(Date.parse(kept.preview.expires_at) / 1_000);
    const off = (await keep(false, called)).body.preview;
    expect(off.kept).toBe(false);
    expect(Math.abs(secondsUntil(off.expires_at) - 7 * day)).toBeLessThan(60);
    expect((await keep(false, called)).body.preview).toEqual(off);
  });

  test("stays on for the releases that follow", async () => {
    const [first, second] = [await opened("1"), await opened("2")];
    await show(first);
    await keep(true);
    const { preview } = (await show(second)).body;
    expect(preview.kept).toBe(true);
    expect(secondsUntil(preview.release.expires_at)).toBeGreaterThan(30 * day - 1);
  });

  test("is not there for a preview that is not, nor for tokens that may only open previews, nor for jobs", async () => {
    await show(await opened("1"));
    expect(await keep(true, "pr-13")).toMatchObject({ status: 404, body: { code: "preview_not_found" } });
    const token = await ada.token({ scopes: ["preview"] });
    expect(await keep(true, "pr-12", token)).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    await trustGitHub();
    expect(await keep(true, "pr-12", await tokenOf(githubJob()))).toMatchObject({ status: 403 });
  });
});

describe("a caller that may only open previews", () => {
  const ofAnother = { status: 403, body: { code: "preview_of_another" } };
  const ends = (by: Actor) => by.delete(path("previews/pr-12"));
  const pull = (head: string, changes: object = {}) =>
    githubJob({
      event_name: "pull_request",
      ref: "refs/pull/12/merge",
      head_ref: head,
      ref_protected: "false",
      ...changes,
    });

  test("neither replaces nor ends a preview of a person, of another token or of another branch", async () => {
    await trustGitHub({ may: "preview", events: ["pull_request"] });
    await trustGitHub();
    const [id, other] = [await opened("1"), await opened("2")];
    const openers = [
      ada,
      await ada.token(),
      await ada.token({ scopes: ["preview"] }),
      await tokenOf(githubJob()),
      await tokenOf(pull("slower")),
    ];
    const callers = [await ada.token({ scopes: ["preview"] }), await tokenOf(pull("faster"))];
    for (const opener of openers) {
      expect((await show(id, { name: "pr-12" }, opener)).status).toBe(200);
      for (const caller of callers) {
        const refused = [
          await show(other, { name: "pr-12" }, caller),
          await show(id, { name: "pr-12", new_url: true }, caller),
          await ends(caller),
          await caller.delete(`${at}/${id}/preview`),
        ];
        for (const response of refused) expect(response).toMatchObject(ofAnother);
      }
      expect(await list()).toMatchObject([{ name: "pr-12", release: { id } }]);
      expect((await ends(ada)).status).toBe(200);
    }
  });

  test("replaces and ends its own, also after a person has replaced it, and a job those of its branch after the merge", async () => {
    await trustGitHub({ may: "preview", events: ["pull_request"] });
    const [first, second] = [await opened("1"), await opened("2")];
    expect((await show(first, { name: "pr-12" }, await tokenOf(pull("faster")))).status).toBe(200);
    expect((await show(second)).status).toBe(200);
    expect((await show(first, { name: "pr-12", new_url: true }, await tokenOf(pull("faster")))).status).toBe(200);
    const merged = pull("faster", mergedInto("main"));
    expect((await ends(await tokenOf(merged))).status).toBe(200);
    expect(await list()).toEqual([]);
    const token = await ada.token({ scopes: ["preview"] });
    expect((await show(first, {}, token)).status).toBe(200);
    expect((await token.delete(`${at}/${first}/preview`)).status).toBe(200);
    expect(await list()).toEqual([]);
  });

  test("does not take over a preview without a name by opening it again", async () => {
    const id = await opened("1");
    await show(id, {});
    const token = await ada.token({ scopes: ["preview"] });
    expect((await show(id, {}, token)).status).toBe(200);
    expect(await token.delete(`${at}/${id}/preview`)).toMatchObject(ofAnother);
  });
});

/** GitHub's claims of a job that the merge of a pull request started. */
function mergedInto(branch: string) {
  return { ref: `refs/heads/${branch}` };
}
