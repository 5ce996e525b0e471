import { beforeEach, describe, expect, test } from "@jest/globals";
import { keys } from "../../../functions/table/keys.ts";
import type { Actor } from "../../support/service/actors.ts";
import { useJobs } from "../../support/service/jobs.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { manifestOf, offer, openRelease, publish } from "../../support/service/steps.ts";
import { useSharedOwner } from "../../support/service/suite.ts";
import { setAttribute, storedItem } from "../../support/table/stored.ts";

/*
 * Previews with names, and the switch that keeps a preview. test/long/journeys/previews.test.ts has what players get of them.
 */
const { service, actors, ada, path, trustGitHub, githubJob, tokenOf, trustedJob } = useJobs(useSharedOwner);
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
/** Stores copies of the one preview of the project, with other names, until it has this many. */
async function copyPreview(count: number): Promise<void> {
  const [preview] = (await stored()).previews ?? [];
  const copies = Array.from({ length: count - 1 }, (_, index) => ({ ...preview, name: `copy-${index}` }));
  await setAttribute(service, keys.project(ada.slug), "previews", [preview, ...copies]);
}
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
    const [first, second] = [await opened("1"), await opened("2")];
    await show(first);
    await copyPreview(10);
    for (const id of [second, first]) expect((await show(id)).status).toBe(200);
    expect(await list()).toHaveLength(10);
    for (const body of [{ name: "another" }, {}])
      expect(await show(first, body)).toMatchObject({ status: 409, body: { code: "too_many_previews" } });
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
    // An open release that is deleted, too.
    const third = await opened("4");
    await show(third);
    await show(second);
    const latest = await manifestOfRelease(third);
    expect((await ada.post(`${at}/${third}/withdraw`)).status).toBe(200);
    expect(JSON.stringify((await stored()).previews)).not.toContain(latest);
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

describe("the switch that keeps a preview", () => {
  test("lets it and its release live for 30 days, and no longer if it is off", async () => {
    const id = await opened("1");
    await show(id);
    const called = "pr-12";
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

  test("is not there for a preview that is not, nor for jobs", async () => {
    await show(await opened("1"));
    expect(await keep(true, "pr-13")).toMatchObject({ status: 404, body: { code: "preview_not_found" } });
    expect(await keep(true, "pr-12", await trustedJob())).toMatchObject({ status: 403 });
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
    const [id, other] = [await opened("1"), await opened("2")];
    const openers = [ada, await ada.token({ scopes: ["preview"] }), await tokenOf(pull("slower"))];
    const [token, job] = [await ada.token({ scopes: ["preview"] }), await tokenOf(pull("faster"))];
    for (const caller of [token, job]) for (const text of ["1", "2"]) await opened(text, caller);
    for (const opener of openers) {
      await opened("1", opener);
      expect((await show(id, { name: "pr-12" }, opener)).status).toBe(200);
      for (const response of [
        await show(other, { name: "pr-12" }, job),
        await show(id, { name: "pr-12", new_url: true }, job),
        await ends(job),
        await job.delete(`${at}/${id}/preview`),
        await ends(token),
      ])
        expect(response).toMatchObject(ofAnother);
      expect(await list()).toMatchObject([{ name: "pr-12", release: { id } }]);
      expect((await ends(ada)).status).toBe(200);
    }
  });

  test("replaces and ends its own, also after a person has replaced it, and a job those of its branch after the merge", async () => {
    await trustGitHub({ may: "preview", events: ["pull_request"] });
    const [first, second] = [await opened("1", await tokenOf(pull("faster"))), await opened("2")];
    expect((await show(first, { name: "pr-12" }, await tokenOf(pull("faster")))).status).toBe(200);
    expect((await show(second)).status).toBe(200);
    expect((await show(first, { name: "pr-12", new_url: true }, await tokenOf(pull("faster")))).status).toBe(200);
    const merged = pull("faster", mergedInto("main"));
    expect((await ends(await tokenOf(merged))).status).toBe(200);
    expect(await list()).toEqual([]);
    const token = await ada.token({ scopes: ["preview"] });
    await opened("1", token);
    expect((await show(first, {}, token)).status).toBe(200);
    expect((await token.delete(`${at}/${first}/preview`)).status).toBe(200);
    expect(await list()).toEqual([]);
  });

  test("sees, compares, shows and uploads its own releases and the live one only", async () => {
    await trustGitHub({ may: "preview", events: ["pull_request"] });
    const past = await publish(ada, ada.slug, { "index.html": "past" });
    const live = await publish(ada, ada.slug, { "index.html": "live" });
    const others = [past, await opened("draft"), await opened("other", await tokenOf(pull("slower")))];
    for (const [index, id] of others.entries()) await show(id, { name: `other-${index}` });
    const caller = await tokenOf(pull("faster"));
    const own = await opened("own", caller);
    expect((await caller.get(at)).body.releases.map(({ id }: { id: string }) => id)).toEqual([own, live]);
    expect((await caller.get(path("previews"))).body.previews).toEqual([]);
    const hash = manifestOf({ "index.html": "draft" })[0]?.sha256;
    const unknown = { status: 404, body: { code: "release_not_found" } };
    for (const id of others)
      for (const response of [
        await caller.get(`${at}/${id}`),
        await caller.get(`${at}/${id}/changes`),
        await show(id, { name: "mine" }, caller),
        await caller.post(`${at}/${id}/uploads`, { sha256: [hash] }),
        await caller.post(`${at}/${id}/uploads/${hash}`, { parts: [hash, hash] }),
      ])
        expect(response).toMatchObject(unknown);
    for (const id of [own, live]) {
      expect((await caller.get(`${at}/${id}`)).status).toBe(200);
      expect((await caller.get(`${at}/${id}/changes`)).status).toBe(200);
    }
    expect((await show(own, { name: "mine" }, caller)).status).toBe(200);
    expect((await caller.get(path("previews"))).body.previews).toMatchObject([{ name: "mine", release: { id: own } }]);
    expect((await ada.get(path("previews"))).body.previews).toHaveLength(4);
  });

  test("that has the very files of another's draft finds it, without what others say of it", async () => {
    const files = manifestOf({ "index.html": "1" });
    const said = { message: "secret plan", source: { commit: "a".repeat(40) } };
    const { id } = (await ada.post(at, { files, ...said })).body.release;
    const token = await ada.token({ scopes: ["preview"] });
    const found = (await token.post(at, { files, message: "mine", source: { commit: "b".repeat(40) } })).body.release;
    expect(found).toMatchObject({ id, message: null, source: null });
    expect((await token.get(`${at}/${id}`)).body).toMatchObject({ id, message: null, source: null });
    expect((await ada.get(`${at}/${id}`)).body).toMatchObject({
      message: "secret plan",
      source: { commit: "a".repeat(40) },
    });
  });

  test("says of its draft where it was made until somebody who may publish opens the same files", async () => {
    const token = await ada.token({ scopes: ["preview"] });
    const files = manifestOf({ "index.html": "1" });
    const said = {
      message: "mine",
      source: { commit: "b".repeat(40), run_url: "https://ci.example/1" },
      picture: undefined,
      choices: { left_out: ["mine/"] },
    };
    const { id } = (await token.post(at, { files, ...said })).body.release;
    const leftOut = async () => (await ada.get(`${at}/${id}/changes`)).body.choices.left_out;
    expect(await leftOut()).toEqual(["mine/"]);
    expect((await ada.get(`${at}/${id}`)).body).toMatchObject({ message: "mine", source: { commit: "b".repeat(40) } });
    const { release } = (await ada.post(at, { files, message: "release" })).body;
    expect(release).toMatchObject({ id, message: "release", source: null });
    expect(await leftOut()).toEqual([]);
    await token.post(at, { files, ...said });
    expect((await ada.get(`${at}/${id}`)).body).toMatchObject({ message: "release", source: null });
  });

  test("leaves two of the ten previews to those who may publish", async () => {
    const token = await ada.token({ scopes: ["preview"] });
    const id = await opened("1", token);
    await show(id, { name: "pr-8" }, token);
    await copyPreview(8);
    const refused = { status: 409, body: { code: "too_many_previews", detail: expect.stringContaining("8 of") } };
    expect(await show(id, { name: "pr-9" }, token)).toMatchObject(refused);
    expect((await show(id, { name: "pr-8", new_url: true }, token)).status).toBe(200);
    for (const name of ["a", "b"]) expect((await show(id, { name })).status).toBe(200);
    expect(await show(id, { name: "c" })).toMatchObject({ status: 409, body: { code: "too_many_previews" } });
  });

  test("keeps its previews and drafts when its token is replaced, again too", async () => {
    const token = await ada.token({ scopes: ["preview"] });
    const id = await opened("1", token);
    expect((await show(id, { name: "pr-12" }, token)).status).toBe(200);
    let tokenId = token.id;
    for (let round = 0; round < 2; round += 1) {
      const replaced = (await ada.post(`/tokens/${tokenId}/replacement`, {})).body;
      tokenId = replaced.id;
      const next = actors.bearer(replaced.token);
      expect((await next.get(`${at}/${id}`)).status).toBe(200);
      expect((await next.get(path("previews"))).body.previews).toHaveLength(1);
      expect((await show(id, { name: "pr-12", new_url: true }, next)).status).toBe(200);
    }
    expect((await ends(await ada.token({ scopes: ["preview"] }))).status).toBe(403);
  });

  test.each([
    ["a job", trustedJob],
    ["a token", async () => await ada.token({ scopes: ["preview"] })],
  ])("that may make no earlier release live shows none either: %s", async (_, callerOf) => {
    const caller = await callerOf();
    await opened("1", caller);
    const first = await publish(ada, ada.slug, { "index.html": "1" });
    await publish(ada, ada.slug, { "index.html": "2" });
    expect(await show(first, {}, caller)).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
  });

  test("does not take over a preview without a name by opening it again", async () => {
    const id = await opened("1");
    await show(id, {});
    const token = await ada.token({ scopes: ["preview"] });
    await opened("1", token);
    expect((await show(id, {}, token)).status).toBe(200);
    expect(await token.delete(`${at}/${id}/preview`)).toMatchObject(ofAnother);
  });
});

/** GitHub's claims of a job that the merge of a pull request started. */
function mergedInto(branch: string) {
  return { ref: `refs/heads/${branch}` };
}
