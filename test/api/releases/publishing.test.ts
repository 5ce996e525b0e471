import { describe, expect, test } from "@jest/globals";
import { accountKey } from "../../../functions/table/keys.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { gameUrl } from "../../support/service/play.ts";
import {
  handOver,
  liveRelease,
  makeLive,
  manifestOf,
  openRelease,
  publications,
  publish,
  readyRelease,
  upload,
} from "../../support/service/steps.ts";
import { useOwner, useService } from "../../support/service/suite.ts";
import { storedProject } from "../../support/table/stored-project.ts";
import { time } from "../../support/wire-time.ts";

const service = useService();
const actors = actorsOf(service);
const ada = useOwner(service);

describe("a release's number", () => {
  const numbers = async () =>
    (await ada.get(`/projects/${ada.slug}/releases`)).body.releases.map(({ number }: { number: number }) => number);

  test("is given when it goes live first: in that order, whatever was opened before, and kept then", async () => {
    const later = await readyRelease(ada, ada.slug, "later");
    const first = await publish(ada, ada.slug, { "index.html": "1" });
    expect(await numbers()).toEqual([1, null]);
    expect((await makeLive(ada, ada.slug, later)).body.release).toMatchObject({ number: 2 });
    expect((await makeLive(ada, ada.slug, first)).body.release).toMatchObject({ number: 1 });
    await publish(ada, ada.slug, { "index.html": "3" });
    expect(await numbers()).toEqual([3, 1, 2]);
  });

  test("goes on after the project was offline and after it was handed over", async () => {
    await publish(ada, ada.slug, { "index.html": "1" });
    await ada.post(`/projects/${ada.slug}/unpublish`);
    await publish(ada, ada.slug, { "index.html": "2" });
    const grace = await ada.otherDeveloper();
    await handOver(ada, ada.slug, grace);
    const third = await publish(grace, ada.slug, { "index.html": "3" });
    expect((await grace.get(`/projects/${ada.slug}/releases/${third}`)).body).toMatchObject({ number: 3 });
  });
});

describe("POST …/releases/:id/publish", () => {
  test("makes a release live that does not expire any more, with an event", async () => {
    const { body: opened } = await openRelease(ada, ada.slug, { "index.html": "1" });
    const { id } = opened.release;
    const { status, headers, body } = await makeLive(ada, ada.slug, id);
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    const play_url = gameUrl(service, ada.slug);
    const published_by = { uid: ada.uid, name: "Ada Lovelace", token: null };
    const first = { first_published_at: body.release.published_at, first_published_by: published_by };
    const published = { number: 1, published_at: time, expires_at: null, play_url, published_by, ...first };
    expect(body).toEqual({
      release: { ...opened.release, status: "live", ...published },
      previous_release: null,
      review_url: null,
      ended_schedule: null,
      edge: null,
    });
    const { items } = await storedProject(service, ada.slug);
    const { manifest, ...release } = items[`RELEASE#${id}`] as { manifest: string };
    const publisher = { accountKey: accountKey(service.issuer, ada.uid), token: null };
    expect(release).toEqual({
      id,
      number: 1,
      files: 1,
      bytes: 1,
      createdAt: opened.release.created_at,
      publishedAt: body.release.published_at,
      publishedBy: publisher,
      firstPublished: { at: body.release.published_at, by: publisher },
    });
    expect(items["PROJECT"]).toMatchObject({
      currentRelease: { id, publishedAt: body.release.published_at, manifest, previous: null },
    });
    expect(Object.keys(items).sort()).toEqual(["PROJECT", `RELEASE#${id}`]);
    expect((await actors.anonymous.get(`/projects/${ada.slug}`)).body.current_release).toEqual({
      id,
      published_at: body.release.published_at,
    });
    expect(await publications(ada, ada.slug)).toEqual([id]);
  });

  test("by a token is recorded with the token, by an ID token without one", async () => {
    const token = await ada.token({ projects: [ada.slug] });
    const first = await readyRelease(ada, ada.slug, "1");
    const second = await readyRelease(ada, ada.slug, "2");
    await makeLive(ada, ada.slug, first);
    expect(await token.post(`/projects/${ada.slug}/releases/${second}/publish`)).toMatchObject({ status: 200 });
    const { body } = await ada.get("/me/events");
    const event = {
      id: expect.any(String),
      type: "release_published",
      at: time,
      project: ada.slug,
      act: "publication",
    };
    const events = body.events.filter(({ type }: { type: string }) => type === "release_published");
    expect(events).toEqual([
      { ...event, release_id: second, release_number: 2, client: "other", token_id: token.id, token_name: "a token" },
      { ...event, release_id: first, release_number: 1 },
    ]);
  });

  test("of the live release gives the same response again and writes nothing, with any expect_current", async () => {
    const first = await publish(ada, ada.slug, { "index.html": "1" });
    const id = await readyRelease(ada, ada.slug, "2");
    const { body } = await makeLive(ada, ada.slug, id);
    expect(body.previous_release).toBe(first);
    const before = await storedProject(service, ada.slug);
    for (const request of [undefined, {}, { expect_current: id }, { expect_current: first }])
      expect(await makeLive(ada, ada.slug, id, request)).toMatchObject({ status: 200, body });
    expect(await storedProject(service, ada.slug)).toEqual(before);
    expect(await publications(ada, ada.slug)).toEqual([first, id]);
  });

  test("of an older release is a rollback, and of the newer one makes that live again", async () => {
    const first = await publish(ada, ada.slug, { "index.html": "1" });
    const second = await publish(ada, ada.slug, { "index.html": "2" });
    expect(await makeLive(ada, ada.slug, first)).toMatchObject({
      status: 200,
      body: { release: { id: first, status: "live" }, previous_release: second },
    });
    const { body } = await ada.get(`/projects/${ada.slug}/releases`);
    expect(body.releases).toMatchObject([
      { id: second, status: "published" },
      { id: first, status: "live" },
    ]);
    expect(await makeLive(ada, ada.slug, second)).toMatchObject({ status: 200, body: { previous_release: first } });
    expect(await liveRelease(actors.anonymous, ada.slug)).toBe(second);
    expect(await publications(ada, ada.slug)).toEqual([first, second, first, second]);
  });

  test("refuses a release of which files are missing, and says how many", async () => {
    const live = await publish(ada, ada.slug, { "index.html": "1" });
    const files = manifestOf({ "index.html": "1", a: "aaa", b: "bbb", c: "aaa" });
    const { body } = await ada.post(`/projects/${ada.slug}/releases`, { files });
    const { id } = body.release;
    const before = await storedProject(service, ada.slug);
    expect(await makeLive(ada, ada.slug, id)).toMatchObject({
      status: 409,
      body: { code: "release_incomplete", detail: expect.stringMatching(/^2 files of this release are not /) },
    });
    expect(await storedProject(service, ada.slug)).toEqual(before);
    expect(await liveRelease(actors.anonymous, ada.slug)).toBe(live);

    const uploads = await ada.post(`/projects/${ada.slug}/releases/${id}/uploads`, { sha256: body.missing });
    const [a, b] = uploads.body.uploads;
    const bytes = (uploadUrl: { sha256: string }) => (uploadUrl.sha256 === files[1]?.sha256 ? "aaa" : "bbb");
    expect(await upload(a, bytes(a))).toBe(200);
    expect(await upload(b, "xyz")).toBe(400);
    expect(await makeLive(ada, ada.slug, id)).toMatchObject({
      status: 409,
      body: { code: "release_incomplete", detail: expect.stringMatching(/^1 file of this release is not /) },
    });
    expect(await upload(b, bytes(b))).toBe(200);
    expect(await makeLive(ada, ada.slug, id)).toMatchObject({ status: 200 });
  });

  test("refuses a manifest with another length than a stored file has", async () => {
    await publish(ada, ada.slug, { "index.html": "12345" });
    const [file] = manifestOf({ "index.html": "12345" });
    const opened = await ada.post(`/projects/${ada.slug}/releases`, { files: [{ ...file, size: 6 }] });
    expect(opened).toMatchObject({ status: 201, body: { missing: [file?.sha256], bytes_to_send: 6 } });
    const { id } = opened.body.release;
    const { body } = await ada.post(`/projects/${ada.slug}/releases/${id}/uploads`, { sha256: [file?.sha256] });
    for (const bytes of ["12345", "123456"])
      expect([400, 403]).toContain(
        await upload({ ...body.uploads[0], headers: withoutLength(body.uploads[0]) }, bytes),
      );
    expect(await makeLive(ada, ada.slug, id)).toMatchObject({ status: 409, body: { code: "release_incomplete" } });
  });

  test("is refused if another release is live than the expected one, which it names", async () => {
    const first = await readyRelease(ada, ada.slug, "1");
    const refusal = async (id: string, expected: string | null) => {
      const before = await storedProject(service, ada.slug);
      const { status, body } = await makeLive(ada, ada.slug, id, { expect_current: expected });
      expect(await storedProject(service, ada.slug)).toEqual(before);
      expect({ status, code: body.code }).toEqual({ status: 412, code: "current_release_changed" });
      return body.detail;
    };
    expect(await refusal(first, "x")).toContain("No release is live");
    expect(await makeLive(ada, ada.slug, first, { expect_current: null })).toMatchObject({ status: 200 });
    const second = await readyRelease(ada, ada.slug, "2");
    expect(await refusal(second, null)).toContain(`Release ${first} is live`);
    expect(await refusal(second, "x")).toContain(`Release ${first} is live`);
    expect(await makeLive(ada, ada.slug, second, { expect_current: first })).toMatchObject({ status: 200 });
  });

  test("does not find a missing release", async () => {
    expect(await makeLive(ada, ada.slug, "none")).toMatchObject({ status: 404, body: { code: "release_not_found" } });
  });
});

function withoutLength({ headers }: { headers: Record<string, string> }) {
  const { "content-length": _, ...rest } = headers;
  return rest;
}

describe("message and source of a release", () => {
  const create = (body: object) => ada.post(`/projects/${ada.slug}/releases`, body);
  const said = { message: "Faster\nships", source: { commit: "0123abc", run_url: "https://ci.example/1" } };
  const files = manifestOf({ "index.html": "said" });

  test("stays with it, and a later call changes it while the release is open", async () => {
    const { body } = await create({ files, ...said });
    const { id } = body.release;
    expect(body.release).toMatchObject(said);
    expect((await ada.get(`/projects/${ada.slug}/releases/${id}`)).body).toMatchObject(said);
    expect((await create({ files })).body.release).toMatchObject({ id, ...said });
    const other = { message: "Second try", source: { commit: "fedcba9" } };
    const shown = { message: "Second try", source: { commit: "fedcba9", run_url: null } };
    expect((await create({ files, ...other })).body.release).toMatchObject({ id, ...shown });
    expect((await ada.get(`/projects/${ada.slug}/releases`)).body.releases[0]).toMatchObject({ id, ...shown });
  });

  test("is not changed once the release is live, nor by a dry run", async () => {
    const id = await publish(ada, ada.slug, { "index.html": "live" });
    const live = await create({ files: manifestOf({ "index.html": "live" }), ...said });
    expect(live.body.release).toMatchObject({ id, message: null, source: null });
    await create({ files });
    await create({ files, ...said, dry_run: true });
    expect((await ada.get(`/projects/${ada.slug}/releases`)).body.releases[0]).toMatchObject({ message: null });
  });
});
