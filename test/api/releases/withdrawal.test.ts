import { describe, expect, test } from "@jest/globals";
import { releaseName } from "../../../edge/project/pointer.ts";
import type { CurrentRelease } from "../../../functions/entities/project.ts";
import { keys } from "../../../functions/table/keys.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { play } from "../../support/service/play.ts";
import { makeLive, manifestOf, openRelease, publish, readyRelease, withDeltas } from "../../support/service/steps.ts";
import { useEmptiedService, useOwner } from "../../support/service/suite.ts";
import { withdrawalsOf } from "../../support/service/withdrawals.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import { everyItem, setAttribute, storedItem } from "../../support/table/stored.ts";
import { storedProject } from "../../support/table/stored-project.ts";
import { time } from "../../support/wire-time.ts";

const service = useEmptiedService();
const ada = useOwner(service);
const overtaken = overtakenBy(service);
const withdrawn = { status: 409, body: { code: "release_withdrawn" } };
const { earlier, game, open, published, publishThree, releasePath, statusOf, withdraw, withdrawals } = withdrawalsOf(
  service,
  ada,
);

describe("POST …/releases/:id/withdraw", () => {
  test("takes an earlier release from its visits, with an event, once; the others go on", async () => {
    const data = async (digest: string) => {
      const headers = { "sec-fetch-dest": "empty", cookie: `__Host-svc-release=${releaseName(digest)}` };
      return (await play(service, ada.slug, { path: "/data.txt", headers })).body.toString();
    };
    const [first, second, live] = await publishThree();
    const before = (await ada.get(releasePath(second.id))).body;
    const { status, body } = await withdraw(second.id);
    const withdrawn = { ...before, status: "withdrawn", withdrawn_at: time };
    expect({ status, body }).toEqual({ status: 200, body: { ...withdrawn, edge: null } });
    expect((await ada.get(releasePath(second.id))).body).toEqual(withdrawn);
    expect((await ada.get(`/projects/${ada.slug}/releases`)).body.releases).toMatchObject([
      { id: live.id, status: "live", withdrawn_at: null },
      { id: second.id, status: "withdrawn", withdrawn_at: body.withdrawn_at },
      { id: first.id, status: "published", withdrawn_at: null },
    ]);
    expect(await earlier()).toEqual([first.digest]);
    expect([await data(second.digest), await data(first.digest)]).toEqual(["data of 3", "data of 1"]);
    expect(await withdrawals()).toMatchObject([{ project: ada.slug, releaseId: second.id }]);
    expect((await ada.get("/me/events")).body.events).toContainEqual(
      expect.objectContaining({ type: "release_withdrawn", release_id: second.id }),
    );
    const items = await everyItem(service);
    expect(await withdraw(second.id)).toMatchObject({ status: 200, body });
    expect(await everyItem(service)).toEqual(items);
  });

  test("ends the preview of an open release with the same files, and no other one", async () => {
    const first = await published("1");
    await published("2");
    const twin = (await open("1")).body.release.id;
    const other = await readyRelease(ada, ada.slug, "another");
    for (const id of [twin, other]) expect((await ada.post(`${releasePath(id)}/preview`)).status).toBe(200);
    expect((await withdraw(first.id)).status).toBe(200);
    const { previews } = (await ada.get(`/projects/${ada.slug}/previews`)).body;
    expect(previews.map(({ release }: { release: { id: string } }) => release.id)).toEqual([other]);
  });

  test.each([
    ["without a name", {}, undefined],
    ["with a name that is kept", { name: "beta" }, { kept: true }],
  ])(
    "keeps the open release with the same files from a preview %s, also one that is opened meanwhile",
    async (_, body, kept) => {
      const first = await published("1");
      await published("2");
      const twin = (await open("1")).body.release.id;
      const other = await readyRelease(ada, ada.slug, "another");
      const preview = (id: string) => ada.post(`${releasePath(id)}/preview`, body);
      if (kept) {
        expect((await preview(other)).status).toBe(200);
        expect((await ada.patch(`/projects/${ada.slug}/previews/beta`, kept)).status).toBe(200);
      }
      const refused = { status: 409, body: { code: "release_withdrawn" } };
      expect(
        await overtaken(
          () => preview(twin),
          () => withdraw(first.id),
        ),
      ).toMatchObject(refused);
      expect(await preview(twin)).toMatchObject(refused);
      const { previews } = (await ada.get(`/projects/${ada.slug}/previews`)).body;
      expect(previews.map(({ release }: { release: { id: string } }) => release.id)).toEqual(kept ? [other] : []);
    },
  );

  test("works if no release is live, once if two are simultaneous, and what is published then does not bring it back", async () => {
    const [first, second, live] = await publishThree();
    await ada.post(`/projects/${ada.slug}/unpublish`);
    const response = await overtaken(
      () => withdraw(second.id),
      () => withdraw(second.id),
    );
    expect(response).toMatchObject({ status: 200, body: { status: "withdrawn" } });
    expect(await withdrawals()).toHaveLength(1);
    await makeLive(ada, ada.slug, first.id);
    await makeLive(ada, ada.slug, live.id);
    expect(await earlier()).toEqual([first.digest]);
  });

  test("refuses the live release, one with its files and an unknown one, and writes nothing", async () => {
    const second = await published("2");
    await published("3");
    await publish(ada, ada.slug, game("2"));
    const before = await storedProject(service, ada.slug);
    const current = (await ada.get(`/projects/${ada.slug}`)).body.current_release.id;
    const refused = (code: string, detail: RegExp) => ({
      status: 409,
      body: { code, detail: expect.stringMatching(detail) },
    });
    expect(await withdraw(current)).toMatchObject(refused("release_live", /Make another one live first/));
    expect(await withdraw(second.id)).toMatchObject(refused("release_live", new RegExp(`^Release ${current} is live`)));
    expect(await withdraw("0".repeat(22))).toMatchObject({ status: 404, body: { code: "release_not_found" } });
    expect(await storedProject(service, ada.slug)).toEqual(before);
  });

  test("discards an open release with its preview, makes room for another one, and lets its files be opened again", async () => {
    const { id } = (await openRelease(ada, ada.slug, game("4"))).body.release;
    const { preview } = (await ada.post(`${releasePath(id)}/preview`)).body;
    const open = async () => (await storedProject(service, ada.slug)).items["PROJECT"] as { openReleases: number };
    const { openReleases } = await open();
    const { status, body } = await withdraw(id);
    expect({ status, body }).toMatchObject({ status: 200, body: { id, status: "open", withdrawn_at: null } });
    expect(Date.parse(body.expires_at)).toBeLessThanOrEqual(Date.now());
    expect((await open()).openReleases).toBe(openReleases - 1);
    expect(await ada.get(releasePath(id))).toMatchObject({ status: 404 });
    expect((await ada.get(`/projects/${ada.slug}/previews`)).body.previews).toEqual([]);
    expect(await withdraw(id)).toMatchObject({ status: 404, body: { code: "release_not_found" } });
    const again = await openRelease(ada, ada.slug, game("4"));
    expect(again.body.release.id).not.toBe(id);
    expect((await ada.post(`${releasePath(again.body.release.id)}/preview`)).body.preview.url).toBe(preview.url);
    expect(await withdrawals()).toEqual([]);
  });
});

describe("a withdrawn release", () => {
  test("cannot go live, be compared or get uploads, and its files and settings cannot be opened again", async () => {
    const second = await published("2");
    await published("3");
    await withdraw(second.id);
    const before = await storedProject(service, ada.slug);
    expect(await makeLive(ada, ada.slug, second.id)).toMatchObject(withdrawn);
    expect(await ada.get(`${releasePath(second.id)}/changes`)).toMatchObject(withdrawn);
    const sha256 = manifestOf(game("2")).map((file) => file.sha256);
    expect(await ada.post(`${releasePath(second.id)}/uploads`, { sha256 })).toMatchObject(withdrawn);
    const detail = expect.stringMatching(`^Release ${second.id} had exactly these files and settings`);
    for (const request of [{}, { dry_run: true }])
      expect(await open("2", request)).toMatchObject({ status: 409, body: { code: "release_withdrawn", detail } });
    expect(await storedProject(service, ada.slug)).toEqual(before);
    expect(await open("2", { settings: { spa: true } })).toMatchObject({ status: 201 });
  });

  test.each([
    ["is open", () => readyRelease(ada, ada.slug, "same")],
    ["was live", () => publish(ada, ada.slug, { "index.html": "same" })],
  ])("keeps another one with the same files, which %s, from going live", async (_, twin) => {
    const [folder, last] = [{ "index.html": "same" }, { "index.html": "last" }];
    const live = await published("3");
    const bad = await publish(ada, ada.slug, folder);
    await makeLive(ada, ada.slug, live.id);
    const same = await twin();
    expect(same).not.toBe(bad);
    await publish(ada, ada.slug, last);
    await withdraw(bad);
    expect(await makeLive(ada, ada.slug, same)).toMatchObject(withdrawn);
    expect(await statusOf(same)).not.toBe("live");
    expect(await ada.post(`/projects/${ada.slug}/releases`, { files: manifestOf(folder) })).toMatchObject(withdrawn);
  });
});

describe("the files of a withdrawn release", () => {
  const folder = { "index.html": "withdrawn ".repeat(20) };
  const once = withDeltas(folder, "once");
  const again = withDeltas(folder, "again");
  const open = (files: typeof once.files) => ada.post(`/projects/${ada.slug}/releases`, { files });

  test.each([
    ["with other deltas", once, again],
    ["with deltas, if it had none", { bytes: folder, files: manifestOf(folder) }, again],
    ["without deltas, if it had some", once, { bytes: folder, files: manifestOf(folder) }],
  ])("do not come back %s: neither to visits nor live, in a preview or opened anew", async (_, bad, twin) => {
    const [second, live] = [await published("2"), await published("3")];
    const before = await publish(ada, ada.slug, twin.bytes, twin.files);
    await makeLive(ada, ada.slug, live.id);
    const id = await publish(ada, ada.slug, bad.bytes, bad.files);
    await makeLive(ada, ada.slug, live.id);
    const opened = (await openRelease(ada, ada.slug, twin.bytes, twin.files)).body.release.id;
    expect((await ada.post(`${releasePath(opened)}/preview`)).status).toBe(200);
    expect(await earlier()).toHaveLength(3);
    expect(await withdraw(id)).toMatchObject({ status: 200 });
    expect(await earlier()).toEqual([second.digest]);
    expect((await ada.get(`/projects/${ada.slug}/previews`)).body.previews).toEqual([]);
    for (const other of [before, opened]) {
      expect(await makeLive(ada, ada.slug, other)).toMatchObject(withdrawn);
      expect(await ada.post(`${releasePath(other)}/preview`)).toMatchObject(withdrawn);
    }
    for (const { files } of [bad, twin, withDeltas(folder, "a third time")])
      expect(await open(files)).toMatchObject(withdrawn);
  });

  test("are not withdrawn while they are live with other deltas", async () => {
    const id = await publish(ada, ada.slug, once.bytes, once.files);
    await published("3");
    await publish(ada, ada.slug, again.bytes, again.files);
    expect(await withdraw(id)).toMatchObject({ status: 409, body: { code: "release_live" } });
  });
});

test("after these tests the table keeps its invariants", async () => {
  expect(brokenInvariants(await everyItem(service))).toEqual([]);
});

test("of what was live before, the latest 20 are open to visits", async () => {
  const live = await published("3");
  const project = await storedItem(service, keys.project(ada.slug));
  const older = Array.from({ length: 20 }, (_, index) => String(index).padStart(64, "0"));
  const current = { ...(project?.["currentRelease"] as CurrentRelease), earlier: older };
  await setAttribute(service, keys.project(ada.slug), "currentRelease", current);
  await publish(ada, ada.slug, game("4"));
  expect(await earlier()).toEqual([live.digest, ...older.slice(0, 19)]);
});

test("what goes live again is no earlier release of itself", async () => {
  const [, second, live] = await publishThree();
  await publish(ada, ada.slug, game("1"));
  expect(await earlier()).toEqual([live.digest, second.digest]);
});

test("a preview that has expired takes no place among the ten of a project", async () => {
  const release = await readyRelease(ada, ada.slug, "another");
  const expired = Array.from({ length: 10 }, (_, index) => ({
    releaseId: `r${index}`,
    manifest: `m${index}`,
    expiresAt: Math.floor(Date.now() / 1_000) - 1,
  }));
  await setAttribute(service, keys.project(ada.slug), "previews", expired);
  expect((await ada.post(`${releasePath(release)}/preview`)).status).toBe(200);
  const running = expired.map((preview) => ({ ...preview, expiresAt: preview.expiresAt + 60 }));
  await setAttribute(service, keys.project(ada.slug), "previews", running);
  expect(await ada.post(`${releasePath(release)}/preview`)).toMatchObject({
    status: 409,
    body: { code: "too_many_previews" },
  });
});
