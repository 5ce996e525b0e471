import { describe, expect, test } from "@jest/globals";
import { Manifest } from "../../../functions/files/manifests.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { gameUrl } from "../../support/service/play.ts";
import {
  makeLive,
  manifestOf,
  newProject,
  openRelease,
  publish,
  sha256,
  upload,
  withDeltas,
} from "../../support/service/steps.ts";
import { useService, useSharedOwner } from "../../support/service/suite.ts";
import { endLife } from "../../support/table/stored.ts";
import { storedProject } from "../../support/table/stored-project.ts";
import { secondsUntil, time } from "../../support/wire-time.ts";

const service = useService();
const ada = useSharedOwner(service);

const day = 86_400;
const none = { count: 0, paths: [] };
const folder = { "index.html": "<h1>", "a/player.png": "PNG", "a/copy.png": "PNG" };

describe("POST /projects/:slug/releases", () => {
  const create = (body: object) => ada.post(`/projects/${ada.slug}/releases`, body);

  test("opens a release, says what it changes and what is missing, and keeps its manifest", async () => {
    const { status, headers, body } = await create({ files: manifestOf(folder) });
    expect(status).toBe(201);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toEqual({
      release: {
        id: expect.stringMatching(/^[0-9A-Za-z]{22}$/),
        status: "open",
        number: null,
        files: 3,
        bytes: 10,
        created_at: time,
        published_at: null,
        expires_at: time,
        play_url: null,
        picture_url: null,
        message: null,
        message_edited_at: null,
        changed_settings: null,
        source: null,
        provenance: null,
        published_by: null,
        first_published_at: null,
        first_published_by: null,
        waiting: null,
        schedule: null,
        returning_players: null,
        false_copies: 0,
        withdrawn_at: null,
      },
      current_release: null,
      added: { count: 3, paths: ["a/copy.png", "a/player.png", "index.html"] },
      changed: none,
      removed: none,
      unchanged: { count: 0 },
      settings: { isolation: false, immutable: [], spa: false, frame: "everybody", preload: [], updates: "content" },
      changed_settings: [],
      missing: [sha256("<h1>"), sha256("PNG")].toSorted(),
      bytes_to_send: 7,
      first_uploads: { uploads: [expect.anything(), expect.anything()], expires_at: time },
      indexes: [],
      older_files: [],
      returning_players: null,
    });
    expect(Math.abs(secondsUntil(body.release.expires_at) - 7 * day)).toBeLessThan(10);
    const { items, objects } = await storedProject(service, ada.slug);
    const release = items[`RELEASE#${body.release.id}`];
    const ttl = Date.parse(body.release.expires_at) / 1_000;
    expect(release).toEqual({
      id: body.release.id,
      manifest: expect.stringMatching(/^[0-9a-f]{64}$/),
      files: 3,
      bytes: 10,
      createdAt: body.release.created_at,
      describedBy: accountKey(service.issuer, ada.uid),
      reserved: { bytes: 7 + (await Manifest.of(manifestOf(folder)).pack()).byteLength, objects: 3 },
      ttl,
    });
    expect(items[`MANIFEST#${release?.["manifest"]}`]).toEqual({ releaseId: body.release.id, ttl });
    expect(objects).toEqual([`manifests/${release?.["manifest"]}.zst`]);
  });

  test("finds the open release of the same files in any order, and says what is still missing", async () => {
    const first = await create({ files: manifestOf(folder) });
    const { body: response } = await ada.post(`/projects/${ada.slug}/releases/${first.body.release.id}/uploads`, {
      sha256: [sha256("PNG")],
    });
    expect(await upload(response.uploads[0], "PNG")).toBe(200);
    const again = await create({ files: manifestOf(folder).toReversed() });
    expect(again).toMatchObject({
      status: 200,
      body: { release: first.body.release, missing: [sha256("<h1>")], bytes_to_send: 4 },
    });
    const { items } = await storedProject(service, ada.slug);
    expect(Object.keys(items).filter((key) => key.startsWith("RELEASE#"))).toHaveLength(1);
  });

  test("ten simultaneous calls with the same files get the same release, which one of them opened", async () => {
    const responses = await Promise.all(Array.from({ length: 10 }, () => create({ files: manifestOf(folder) })));
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
    expect(new Set(responses.map(({ body }) => body.release.id)).size).toBe(1);
  });

  test("says that the files are live already, and writes nothing", async () => {
    const id = await publish(ada, ada.slug, folder);
    const before = await storedProject(service, ada.slug);
    for (const extra of [{}, { dry_run: true }, { expect_current: id }, { expect_current: "another" }]) {
      const { status, body } = await create({ files: manifestOf(folder), ...extra });
      expect(status).toBe(200);
      expect(body).toEqual({
        release: expect.objectContaining({ id, status: "live", published_at: time, expires_at: null }),
        current_release: id,
        added: none,
        changed: none,
        removed: none,
        unchanged: { count: 3 },
        settings: { isolation: false, immutable: [], spa: false, frame: "everybody", preload: [], updates: "content" },
        changed_settings: [],
        missing: [],
        bytes_to_send: 0,
        first_uploads: null,
        indexes: [],
        older_files: [],
        returning_players: null,
      });
    }
    expect(await storedProject(service, ada.slug)).toEqual(before);
  });

  test("says so also of the same files with other deltas, or none", async () => {
    const long = { "index.html": "text ".repeat(40) };
    const { bytes, files } = withDeltas(long, "one");
    const id = await publish(ada, ada.slug, bytes, files);
    for (const same of [manifestOf(long), withDeltas(long, "another").files])
      expect(await create({ files: same })).toMatchObject({
        status: 200,
        body: { release: { id, status: "live" }, unchanged: { count: 1 }, missing: [] },
      });
  });

  test("names the indexes of the live release to whom a large file is missing, and counts them as files", async () => {
    const index = { size: 7, sha256: sha256("indexed") };
    const large = (name: string, size = 16 * 1024 * 1024 + 1) => ({ path: "world.pck", size, sha256: sha256(name) });
    const page = manifestOf({ "index.html": "page" });
    const first = [...page, { path: "small.pck", size: 4, sha256: sha256("pack"), index }];
    const opened = await create({ files: first });
    expect(opened.body).toMatchObject({ bytes_to_send: 15, indexes: [] });
    await publish(ada, ada.slug, { "index.html": "page", "small.pck": "pack", index: "indexed" }, first);
    for (const files of [page, first])
      for (const dry_run of [true, false]) {
        const { indexes } = (await create({ files: [...files, large("world")], dry_run })).body;
        expect(indexes).toEqual([{ sha256: sha256("pack"), size: 4, url: expect.any(String) }]);
        expect(await (await fetch(indexes[0].url)).text()).toBe("indexed");
      }
    expect((await create({ files: [...page, large("small", 16 * 1024 * 1024)] })).body.indexes).toEqual([]);
  });

  describe("in a dry run, names what players may have of a large file that changes:", () => {
    const data = (text: string) => text.repeat(300_000);
    const settings = { immutable: ["assets/**"] };
    const releaseOf = async (files: Record<string, string>) => {
      const { body } = await openRelease(ada, ada.slug, files, manifestOf(files), settings);
      expect((await makeLive(ada, ada.slug, body.release.id)).status).toBe(200);
      return body.release.id;
    };
    const named = async (files: Record<string, string>, as: Pick<typeof ada, "post"> = ada, more: object = {}) => {
      const request = { files: manifestOf(files), settings, dry_run: true, ...more };
      const { status, body } = await as.post(`/projects/${ada.slug}/releases`, request);
      expect(status).toBeLessThan(300);
      return body.older_files.map((older: Record<string, unknown>) => [
        older["path"],
        older["sha256"],
        older["is_live"],
      ]);
    };

    test("the live release's file and those of two before it, which a program gets and a browser does not", async () => {
      const page = { "index.html": "page", "same.pck": data("s"), "small.pck": "small" };
      for (const text of ["a", "b", "c", "d"])
        await releaseOf({ ...page, "data.pck": data(text), "script.js": data(text) });
      const next = { ...page, "data.pck": data("e"), "script.js": data("e"), "small.pck": "large" };
      const before = ["d", "c", "b"].map((text) => ["data.pck", sha256(data(text)), text === "d"]);
      expect(await named(next)).toEqual(before);
      // One that becomes what it was.
      expect(await named({ ...next, "data.pck": data("c") })).toEqual(before.filter((_, index) => index !== 1));
      expect(await named(next, ada, { settings: { updates: "whole" } })).toEqual([]);
      expect(await named({ ...next, "data.pck": data("d") })).toEqual([]);
      expect((await create({ files: manifestOf(next), settings })).body.older_files).toEqual([]);
      const { older_files: files } = (await create({ files: manifestOf(next), settings, dry_run: true })).body;
      const get = async (headers: Record<string, string>) => {
        const response = await fetch(files[2].url, { headers });
        return [response.status, sha256(await response.text())];
      };
      expect(await get({ "svc-older-file": "1" })).toEqual([200, sha256(data("b"))]);
      for (const headers of [{}, { "svc-older-file": "2" }]) expect((await get(headers))[0]).toBe(403);
    });

    test("none of a withdrawn release, and of the live one alone to whom may only open previews", async () => {
      const folders = ["a", "b", "c"].map((text) => ({ "index.html": text, "data.pck": data(text) }));
      const [, second] = [
        await releaseOf(folders[0] ?? {}),
        await releaseOf(folders[1] ?? {}),
        await releaseOf(folders[2] ?? {}),
      ];
      const next = { "index.html": "d", "data.pck": data("d") };
      const previewer = await ada.token({ scopes: ["preview"] });
      expect(await named(next, previewer)).toEqual([["data.pck", sha256(data("c")), true]]);
      expect((await ada.post(`/projects/${ada.slug}/releases/${second}/withdraw`)).status).toBe(200);
      expect(await named(next)).toEqual([
        ["data.pck", sha256(data("c")), true],
        ["data.pck", sha256(data("a")), false],
      ]);
    });

    test("also one that browsers keep under a name with another hash, unless two files share the rest of it", async () => {
      await releaseOf({
        ...{ "index.html": "1", "assets/index-DkA3x9b2.js": data("a"), "assets/engine.wasm": data("w") },
        ...{
          "assets/level-00000001.bin": data("1"),
          "assets/level-00000002.bin": data("2"),
          "assets/page-00000001.html": data("p"),
        },
      });
      const next = {
        ...{ "index.html": "2", "assets/index-BkZ9fl1c.js": data("b"), "assets/engine.wasm": data("v") },
        ...{
          "assets/level-00000003.bin": data("3"),
          "assets/level-00000002.bin": data("2"),
          "assets/page-00000002.html": data("q"),
        },
      };
      expect(await named(next)).toEqual([["assets/index-BkZ9fl1c.js", sha256(data("a")), true]]);
    });
  });

  test("counts deltas as files, and keeps those of the live release for files that stay", async () => {
    const [page, pack] = [{ "index.html": "page ".repeat(40) }, { pack: "pack ".repeat(40) }];
    // What no release has had is no dictionary.
    await publish(ada, ada.slug, { "index.html": "older", older: "first" });
    const before = withDeltas({ ...page, ...pack }, "first");
    const opened = await create({ files: before.files });
    const bytes = Object.values(before.bytes).reduce((sum, text) => sum + text.length, 0);
    expect(opened).toMatchObject({ status: 201, body: { bytes_to_send: bytes, release: { files: 2, bytes: 400 } } });
    expect(opened.body.missing.toSorted()).toEqual(Object.values(before.bytes).map(sha256).toSorted());
    await publish(ada, ada.slug, before.bytes, before.files);
    const next = withDeltas({ ...pack, "index.html": "other ".repeat(40) }, "second");
    const { body } = await create({ files: next.files });
    expect(body).toMatchObject({ changed: { paths: ["index.html"] }, unchanged: { count: 1 } });
    const { items } = await storedProject(service, ada.slug);
    const release = items[`RELEASE#${body.release.id}`];
    const manifest = Manifest.of([
      ...next.files.filter(({ path }) => path === "index.html"),
      ...next.files.flatMap((file) => {
        const [old] = before.files.filter(({ path }) => path === "pack" && path === file.path);
        return old ? [{ ...file, deltas: [...(file.deltas ?? []), ...(old.deltas ?? [])] }] : [];
      }),
    ]);
    expect(release).toMatchObject({ manifest: manifest.digest, filesDigest: manifest.filesDigest });
  });

  test("says what players load who have the live release, in a dry run, when a release opens and when it is found again", async () => {
    const before = "before ".repeat(200);
    await publish(ada, ada.slug, { "index.html": "page", "script.js": before, "same.js": "same" });
    const changed = { "index.html": "page ".repeat(240), "script.js": "after ".repeat(200), "same.js": "same" };
    const delta = { dictionary: sha256(before), size: 100, sha256: sha256("delta") };
    const files = manifestOf(changed).map((file) => (file.path === "script.js" ? { ...file, deltas: [delta] } : file));
    for (const [dry_run, status] of [
      [true, 200],
      [false, 201],
      [false, 200],
      [true, 200],
    ] as const) {
      const load = { bytes: 1_300, without_deltas: 2_400 };
      expect(await create({ files, dry_run })).toMatchObject({ status, body: { returning_players: load } });
    }
    for (const dry_run of [true, false])
      expect((await create({ files: manifestOf(changed), dry_run })).body.returning_players).toBeNull();
  });

  test("compares with the live release, and names only new files as missing", async () => {
    const live = await publish(ada, ada.slug, folder);
    const next = { "index.html": "<h2>", "a/player.png": "PNG", "b/new.js": "1", "b/copy.png": "PNG" };
    const { status, body } = await create({ files: manifestOf(next) });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      release: { status: "open" },
      current_release: live,
      added: { count: 2, paths: ["b/copy.png", "b/new.js"] },
      changed: { count: 1, paths: ["index.html"] },
      removed: { count: 1, paths: ["a/copy.png"] },
      unchanged: { count: 1 },
      missing: [sha256("<h2>"), sha256("1")].toSorted(),
      bytes_to_send: 5,
    });
  });

  test("opens a new release for the files of an older one, of which nothing is missing", async () => {
    const first = await publish(ada, ada.slug, folder);
    await publish(ada, ada.slug, { "index.html": "another" });
    const { status, body } = await create({ files: manifestOf(folder) });
    expect(status).toBe(201);
    expect(body).toMatchObject({ release: { status: "open" }, missing: [], first_uploads: null });
    expect(body.release.id).not.toBe(first);
  });

  test("a dry run gives the same response and changes nothing", async () => {
    await publish(ada, ada.slug, folder);
    const before = await storedProject(service, ada.slug);
    const files = manifestOf({ "index.html": "dry" });
    const dry = await create({ files, dry_run: true });
    expect(dry).toMatchObject({ status: 200, body: { release: null } });
    expect(await storedProject(service, ada.slug)).toEqual(before);
    const wet = await create({ files });
    expect({ ...wet.body, release: null, first_uploads: null }).toEqual(dry.body);
    const after = await storedProject(service, ada.slug);
    const found = { ...wet.body, first_uploads: null };
    expect(await create({ files, dry_run: true, message: "another" })).toMatchObject({ status: 200, body: found });
    expect(await storedProject(service, ada.slug)).toEqual(after);
  });

  test("is refused if another release is live than the expected one, which it names", async () => {
    const files = manifestOf({ "index.html": "next" });
    const refusal = async (expected: string | null) => {
      const before = await storedProject(service, ada.slug);
      const { status, body } = await create({ files, expect_current: expected });
      expect(await storedProject(service, ada.slug)).toEqual(before);
      return { status, code: body.code, detail: body.detail };
    };
    const refused = { status: 412, code: "current_release_changed" };
    const none = "No release is live, so x is not either. Publish again without expecting it.";
    expect(await refusal("x")).toEqual({ ...refused, detail: none });
    const live = await publish(ada, ada.slug, folder);
    const liveNot = (expected: string) =>
      expect.stringContaining(`Release ${live} is live, not ${expected}. Look at it`);
    expect(await refusal(null)).toEqual({ ...refused, detail: liveNot("none") });
    expect(await refusal("x")).toEqual({ ...refused, detail: liveNot("x") });
    expect(await create({ files, expect_current: live })).toMatchObject({ status: 201 });
  });
});

describe("an open release", () => {
  /** An open release whose life ends this many seconds from now. */
  async function openFor(secondsFromNow: number) {
    const { body } = await openRelease(ada, ada.slug, folder);
    const { id } = body.release;
    const { items } = await storedProject(service, ada.slug);
    const manifest = items[`RELEASE#${id}`]?.["manifest"] as string;
    for (const key of [keys.release(ada.slug, id), keys.openManifest(ada.slug, manifest)])
      await endLife(service, key, secondsFromNow);
    return { id, manifest };
  }

  test("is not found once it has expired, also while DynamoDB still stores it", async () => {
    const { id } = await openFor(-1);
    const base = `/projects/${ada.slug}/releases`;
    const gone = { status: 404, body: { code: "release_not_found" } };
    expect(await ada.get(`${base}/${id}`)).toMatchObject(gone);
    expect(await ada.post(`${base}/${id}/publish`)).toMatchObject(gone);
    expect(await ada.post(`${base}/${id}/uploads`, { sha256: [sha256("PNG")] })).toMatchObject(gone);
    expect((await ada.get(base)).body).toEqual({ releases: [], next_cursor: null });
    const again = await ada.post(base, { files: manifestOf(folder) });
    expect(again).toMatchObject({ status: 201, body: { missing: [] } });
    expect(again.body.release.id).not.toBe(id);
  });

  test("gets its full lifetime again when it is opened again", async () => {
    const { id, manifest } = await openFor(5 * day);
    const { body } = await ada.post(`/projects/${ada.slug}/releases`, { files: manifestOf(folder) });
    expect(body.release.id).toBe(id);
    expect(Math.abs(secondsUntil(body.release.expires_at) - 7 * day)).toBeLessThan(10);
    const { items } = await storedProject(service, ada.slug);
    const ttl = Date.parse(body.release.expires_at) / 1_000;
    expect(items[`RELEASE#${id}`]).toMatchObject({ ttl });
    expect(items[`MANIFEST#${manifest}`]).toMatchObject({ ttl });
  });

  test("is not written again on the day when it was opened", async () => {
    await openFor(7 * day - 3_600);
    const before = await storedProject(service, ada.slug);
    await ada.post(`/projects/${ada.slug}/releases`, { files: manifestOf(folder) });
    expect(await storedProject(service, ada.slug)).toEqual(before);
  });
});

describe("GET /projects/:slug/releases", () => {
  test("lists them newest first with their states, page by page; each is also found by its id", async () => {
    const first = await publish(ada, ada.slug, { "index.html": "1" });
    const second = await publish(ada, ada.slug, { "index.html": "2" });
    const { body: opened } = await openRelease(ada, ada.slug, { "index.html": "3", more: "bytes" });
    const base = `/projects/${ada.slug}/releases`;
    const { status, headers, body } = await ada.get(base);
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    const published = {
      files: 1,
      bytes: 1,
      created_at: time,
      published_at: time,
      expires_at: null,
      picture_url: null,
      message: null,
      message_edited_at: null,
      changed_settings: null,
      source: null,
      provenance: null,
      published_by: { uid: ada.uid, name: "Ada Lovelace", token: null },
      first_published_at: time,
      first_published_by: { uid: ada.uid, name: "Ada Lovelace", token: null },
      waiting: null,
      schedule: null,
      returning_players: null,
      false_copies: 0,
      withdrawn_at: null,
    };
    expect(body).toEqual({
      releases: [
        opened.release,
        { id: second, number: 2, status: "live", ...published, play_url: gameUrl(service, ada.slug) },
        { id: first, number: 1, status: "published", ...published, play_url: null },
      ],
      next_cursor: null,
    });
    for (const release of body.releases) expect((await ada.get(`${base}/${release.id}`)).body).toEqual(release);
    const page = await ada.get(`${base}?limit=2`);
    const rest = await ada.get(`${base}?limit=2&cursor=${page.body.next_cursor}`);
    expect([...page.body.releases, ...rest.body.releases]).toEqual(body.releases);
    const others = `/projects/${await newProject(ada)}/releases?cursor=${page.body.next_cursor}`;
    for (const path of [`${base}?cursor=%21%21`, others])
      expect(await ada.get(path)).toMatchObject({ status: 400, body: { code: "invalid_cursor" } });
  });
});

describe("GET /projects/:slug/releases/:id/changes", () => {
  const changes = async (id: string) => await ada.get(`/projects/${ada.slug}/releases/${id}/changes`);

  test("says what visitors would see change, and changes nothing", async () => {
    const first = await publish(ada, ada.slug, { "index.html": "1", "old.png": "old", same: "same" });
    const second = await publish(ada, ada.slug, { "index.html": "2", "new.png": "new", same: "same" });
    const before = await storedProject(service, ada.slug);
    const { status, body } = await changes(first);
    expect(status).toBe(200);
    expect(body).toEqual({
      current_release: second,
      compared_with: second,
      added: { count: 1, paths: ["old.png"] },
      changed: { count: 1, paths: ["index.html"] },
      removed: { count: 1, paths: ["new.png"] },
      unchanged: { count: 1 },
      settings: { isolation: false, immutable: [], spa: false, frame: "everybody", preload: [], updates: "content" },
      changed_settings: [],
      copies: { checked: true, brotli: none, deltas: none, false: none },
      pictures: ["old.png"],
      choices: { left_out: [], index: null, picture: null, isolation_off: false },
      decided: {
        settings: { isolation: false, immutable: [], spa: false, frame: "everybody", preload: [], updates: "content" },
        choices: { left_out: [], index: null, picture: null, isolation_off: false },
      },
    });
    expect(await storedProject(service, ada.slug)).toEqual(before);
  });

  test("of a release with other settings names them; the live one changes nothing", async () => {
    const files = manifestOf({ "index.html": "1" });
    const { body } = await ada.post(`/projects/${ada.slug}/releases`, {
      files,
      settings: {
        isolation: "credentialless",
        immutable: ["b/*", "assets/**", "b/*"],
        spa: true,
        frame: ["https://b.example", "https://a.example"],
      },
    });
    expect((await changes(body.release.id)).body).toMatchObject({
      current_release: null,
      added: { count: 1, paths: ["index.html"] },
      settings: {
        isolation: "credentialless",
        immutable: ["assets/**", "b/*"],
        spa: true,
        frame: ["https://a.example", "https://b.example"],
      },
      changed_settings: ["isolation", "immutable", "spa", "frame"],
    });
    const live = await publish(ada, ada.slug, { "index.html": "1" });
    const same = { added: none, changed: none, removed: none, unchanged: { count: 1 }, changed_settings: [] };
    expect((await changes(live)).body).toMatchObject({ current_release: live, ...same });
  });

  test("says what was chosen for it, of the picture its content, until another release is live", async () => {
    const folder = { "index.html": "1", "cover.png": "chosen" };
    const choices = { left_out: ["notes/", "old.txt"], index: "My Story.html", picture: true, isolation_off: true };
    const { body } = await openRelease(ada, ada.slug, folder);
    await ada.post(`/projects/${ada.slug}/releases`, { files: manifestOf(folder), picture: "cover.png", choices });
    await makeLive(ada, ada.slug, body.release.id);
    const [, picture] = manifestOf(folder);
    expect((await changes(body.release.id)).body.choices).toEqual({ ...choices, picture });
    const second = await publish(ada, ada.slug, { "index.html": "2" });
    expect((await changes(second)).body.choices).toMatchObject({ left_out: [], picture: null });
    expect((await changes(body.release.id)).body.choices).toEqual({ ...choices, picture });
    const publisher = await ada.token();
    const previewer = await ada.token({ scopes: ["preview"] });
    const own = await openRelease(previewer, ada.slug, { "index.html": "3" });
    await ada.post(`/projects/${ada.slug}/releases`, { files: manifestOf({ "index.html": "3" }), choices });
    const path = `/projects/${ada.slug}/releases/${own.body.release.id}/changes`;
    expect((await publisher.get(path)).body.choices).toMatchObject({ left_out: ["notes/", "old.txt"] });
    expect((await previewer.get(path)).body.choices).toMatchObject({ left_out: [], index: null });
  });

  test("beside the previous one: of those that are kept the one with the next lower number, of a draft the live one", async () => {
    const [one, two, three] = [
      await publish(ada, ada.slug, { "index.html": "1", "one.png": "1" }),
      await publish(ada, ada.slug, { "index.html": "2" }),
      await publish(ada, ada.slug, { "index.html": "3", "three.png": "3" }),
    ];
    await makeLive(ada, ada.slug, two);
    const draft = (await openRelease(ada, ada.slug, { "index.html": "4" })).body.release.id;
    const beside = async (id: string, actor: Pick<typeof ada, "get"> = ada) =>
      (await actor.get(`/projects/${ada.slug}/releases/${id}/changes?with=previous`)).body;
    expect(await beside(one)).toMatchObject({
      compared_with: null,
      current_release: two,
      added: { count: 2, paths: ["index.html", "one.png"] },
    });
    expect(await beside(two)).toMatchObject({ compared_with: one, removed: { count: 1, paths: ["one.png"] } });
    expect(await beside(three)).toMatchObject({ compared_with: two, added: { count: 1, paths: ["three.png"] } });
    expect(await beside(draft)).toMatchObject({ compared_with: two, changed: { count: 1, paths: ["index.html"] } });
    // Who may only open previews learns of no earlier one.
    const previewer = await ada.token({ scopes: ["preview"] });
    expect(await beside(two, previewer)).toMatchObject({ compared_with: null });
    await makeLive(ada, ada.slug, three);
    await ada.post(`/projects/${ada.slug}/releases/${two}/withdraw`);
    expect(await beside(three)).toMatchObject({ compared_with: one, changed: { count: 1, paths: ["index.html"] } });
  });

  test("of a missing release responds with 404", async () => {
    expect(await changes("nowhere")).toMatchObject({ status: 404, body: { code: "release_not_found" } });
  });
});
