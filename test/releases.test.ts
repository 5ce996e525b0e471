import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { limits } from "../contract/limits.ts";
import { keys } from "../functions/table/keys.ts";
import { type Actor, type Actors, actorsOf, type Developer } from "./support/actors.ts";
import {
  manifestOf,
  newProject,
  openRelease,
  publish,
  sha256,
  type UploadAddress,
  upload,
} from "./support/publishing.ts";
import { startStage, type TestStage } from "./support/stage.ts";
import { endLife, storedProject } from "./support/stored-project.ts";

let stage: TestStage;
let actors: Actors;
let ada: Developer;
let slug: string;

beforeAll(async () => {
  stage = await startStage();
  actors = actorsOf(stage);
});

beforeEach(async () => {
  ada = await actors.developer();
  slug = await newProject(ada);
});

afterAll(async () => {
  await stage.stop();
});

const day = 86_400;
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const none = { count: 0, paths: [] };
const folder = { "index.html": "<h1>", "a/player.png": "PNG", "a/copy.png": "PNG" };

/** Seconds from now until a time of the wire. */
function secondsUntil(wireTime: string): number {
  return (Date.parse(wireTime) - Date.now()) / 1_000;
}

describe.each([
  [
    "POST /projects/:slug/releases",
    "publish",
    (actor: Actor, base: string) => actor.post(base, { files: manifestOf(folder) }),
  ],
  [
    "POST …/uploads",
    "publish",
    (actor: Actor, base: string, id: string) => actor.post(`${base}/${id}/uploads`, { sha256: [sha256("<h1>")] }),
  ],
  ["POST …/publish", "publish", (actor: Actor, base: string, id: string) => actor.post(`${base}/${id}/publish`)],
  ["GET /projects/:slug/releases", undefined, (actor: Actor, base: string) => actor.get(base)],
  ["GET …/releases/:id", undefined, (actor: Actor, base: string, id: string) => actor.get(`${base}/${id}`)],
] as const)("%s", (_, scope, call) => {
  let base: string;
  let id: string;

  beforeEach(async () => {
    base = `/projects/${slug}/releases`;
    const { body } = await openRelease(ada, slug, { "index.html": "<h1>" });
    id = body.release.id;
  });

  async function refusal(actor: Actor) {
    const before = await storedProject(stage, slug);
    const { status, body } = await call(actor, base, id);
    expect(await storedProject(stage, slug)).toEqual(before);
    return `${status} ${body.code}`;
  }

  test("is refused without a credential, an account or the role, and with a wrong credential", async () => {
    expect(await refusal(actors.anonymous)).toBe("401 credential_missing");
    expect(await refusal(actors.bearer("pat_mistyped"))).toBe("401 token_invalid");
    expect(await refusal(actors.bearer("no.id.token"))).toBe("401 id_token_invalid");
    expect(await refusal(await actors.stranger())).toBe("403 account_required");
    expect(await refusal(await actors.user())).toBe("403 developer_required");
  });

  test("is not found by other developers and their tokens", async () => {
    const other = await actors.otherDeveloper();
    expect(await refusal(other)).toBe("404 project_not_found");
    expect(await refusal(await other.token())).toBe("404 project_not_found");
  });

  test("is refused to a token that is narrowed to another project, and to a revoked one", async () => {
    const narrowed = await ada.token({ scopes: ["publish", "projects"], projects: [await newProject(ada)] });
    expect(await refusal(narrowed)).toBe("403 project_not_in_token");
    const revoked = await ada.token();
    await ada.delete(`/tokens/${revoked.id}`);
    expect(await refusal(revoked)).toBe("401 token_revoked");
  });

  test("is refused to a token without the scope where one is needed, saying which", async () => {
    const token = await ada.token({ scopes: ["projects"] });
    if (scope === undefined) {
      expect(await call(token, base, id)).toMatchObject({ status: 200 });
      return;
    }
    expect(await refusal(token)).toBe("403 insufficient_scope");
    const { headers, body } = await call(token, base, id);
    expect(body.detail).toBe(
      "This needs the scope publish; the personal access token has projects. Create one that has it.",
    );
    expect(headers.get("www-authenticate")).toBe('Bearer error="insufficient_scope", scope="publish"');
  });

  test("does not find a project that is not there", async () => {
    expect(await call(ada, "/projects/none-such/releases", id)).toMatchObject({
      status: 404,
      body: { code: "project_not_found" },
    });
  });

  test("is open to the owner's token that names the project", async () => {
    const token = await ada.token({ projects: [slug] });
    expect([200, 201]).toContain((await call(token, base, id)).status);
  });
});

describe("POST /projects/:slug/releases", () => {
  const create = (body: object) => ada.post(`/projects/${slug}/releases`, body);

  test("opens a release, says what it changes and what is missing, and keeps its manifest", async () => {
    const { status, headers, body } = await create({ files: manifestOf(folder) });
    expect(status).toBe(201);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toEqual({
      release: {
        id: expect.stringMatching(/^[0-9A-Za-z]{22}$/),
        status: "open",
        files: 3,
        bytes: 10,
        created_at: time,
        published_at: null,
        expires_at: time,
      },
      current_release: null,
      added: { count: 3, paths: ["a/copy.png", "a/player.png", "index.html"] },
      changed: none,
      removed: none,
      unchanged: { count: 0 },
      missing: [sha256("<h1>"), sha256("PNG")].toSorted(),
      bytes_to_send: 7,
    });
    expect(Math.abs(secondsUntil(body.release.expires_at) - 7 * day)).toBeLessThan(10);
    const { items, objects } = await storedProject(stage, slug);
    const release = items[`RELEASE#${body.release.id}`];
    const ttl = Date.parse(body.release.expires_at) / 1_000;
    expect(release).toEqual({
      id: body.release.id,
      manifest: expect.stringMatching(/^[0-9a-f]{64}$/),
      files: 3,
      bytes: 10,
      createdAt: body.release.created_at,
      ttl,
    });
    expect(items[`MANIFEST#${release?.["manifest"]}`]).toEqual({ releaseId: body.release.id, ttl });
    expect(objects).toEqual([`manifests/${release?.["manifest"]}.zst`]);
  });

  test("finds the open release of the same files again, in whatever order, with what is still missing", async () => {
    const first = await create({ files: manifestOf(folder) });
    const { body: addresses } = await ada.post(`/projects/${slug}/releases/${first.body.release.id}/uploads`, {
      sha256: [sha256("PNG")],
    });
    expect(await upload(addresses.uploads[0], "PNG")).toBe(200);
    const again = await create({ files: manifestOf(folder).toReversed() });
    expect(again).toMatchObject({
      status: 200,
      body: { release: first.body.release, missing: [sha256("<h1>")], bytes_to_send: 4 },
    });
    const { items } = await storedProject(stage, slug);
    expect(Object.keys(items).filter((key) => key.startsWith("RELEASE#"))).toHaveLength(1);
  });

  test("of ten racing calls with the same files all get one release, which one of them opened", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ files: manifestOf(folder) })));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.release.id)).size).toBe(1);
  });

  test("says that what is live already is live, and writes nothing", async () => {
    const id = await publish(ada, slug, folder);
    const before = await storedProject(stage, slug);
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
        missing: [],
        bytes_to_send: 0,
      });
    }
    expect(await storedProject(stage, slug)).toEqual(before);
  });

  test("compares with what is live, and asks for what is new alone", async () => {
    const live = await publish(ada, slug, folder);
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
    const first = await publish(ada, slug, folder);
    await publish(ada, slug, { "index.html": "another" });
    const { status, body } = await create({ files: manifestOf(folder) });
    expect(status).toBe(201);
    expect(body).toMatchObject({ release: { status: "open" }, missing: [] });
    expect(body.release.id).not.toBe(first);
  });

  test("a dry run answers the same and changes nothing", async () => {
    await publish(ada, slug, folder);
    const before = await storedProject(stage, slug);
    const files = manifestOf({ "index.html": "dry" });
    const dry = await create({ files, dry_run: true });
    expect(dry).toMatchObject({ status: 200, body: { release: null } });
    expect(await storedProject(stage, slug)).toEqual(before);
    const wet = await create({ files });
    expect({ ...wet.body, release: null }).toEqual(dry.body);
    const after = await storedProject(stage, slug);
    expect(await create({ files, dry_run: true })).toMatchObject({ status: 200, body: wet.body });
    expect(await storedProject(stage, slug)).toEqual(after);
  });

  test("is refused where another release is live than the expected one, which it names", async () => {
    const files = manifestOf({ "index.html": "next" });
    const refusal = async (expected: string | null) => {
      const before = await storedProject(stage, slug);
      const { status, body } = await create({ files, expect_current: expected });
      expect(await storedProject(stage, slug)).toEqual(before);
      return { status, code: body.code, detail: body.detail };
    };
    const refused = { status: 412, code: "current_release_changed" };
    expect(await refusal("x")).toEqual({ ...refused, detail: expect.stringContaining("No release is live") });
    const live = await publish(ada, slug, folder);
    expect(await refusal(null)).toEqual({ ...refused, detail: expect.stringContaining(live) });
    expect(await refusal("x")).toEqual({ ...refused, detail: expect.stringContaining(live) });
    expect(await create({ files, expect_current: live })).toMatchObject({ status: 201 });
  });

  const good = { path: "index.html", size: 1, sha256: sha256("x") };
  const manyFiles = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ path: `f${index}`, size: 1, sha256: sha256("x") }));
  const large = { size: limits.bytesPerFile, sha256: sha256("x") };

  test.each([
    ["no files", {}, "/files"],
    ["an empty list", { files: [] }, "/files"],
    ["20,001 files", { files: manyFiles(limits.filesPerRelease + 1) }, "/files"],
    ["a path that leads out", { files: [{ ...good, path: "../x" }] }, "/files/0/path"],
    ["a path that leads out later", { files: [good, { ...good, path: "a/../../x" }] }, "/files/1/path"],
    ["an absolute path", { files: [{ ...good, path: "/etc/passwd" }] }, "/files/0/path"],
    ["a backslash", { files: [{ ...good, path: "a\\b" }] }, "/files/0/path"],
    ["a NUL", { files: [{ ...good, path: "a\0b" }] }, "/files/0/path"],
    ["a tab, which would part a manifest's line", { files: [{ ...good, path: "a\tb" }] }, "/files/0/path"],
    ["a line feed, which would end it", { files: [{ ...good, path: "a\nb" }] }, "/files/0/path"],
    ["a path twice", { files: [good, good] }, "/files/1/path"],
    ["twins but for case", { files: [good, { ...good, path: "INDEX.html" }] }, "/files/1/path"],
    [
      "twins but for Unicode's form",
      {
        files: [
          { ...good, path: "é" },
          { ...good, path: "e\u0301" },
        ],
      },
      "/files/1/path",
    ],
    [
      "a file that is a folder",
      {
        files: [
          { ...good, path: "a" },
          { ...good, path: "a/b" },
        ],
      },
      "/files/1/path",
    ],
    ["an overlong path", { files: [{ ...good, path: "x".repeat(513) }] }, "/files/0/path"],
    ["a negative size", { files: [{ ...good, size: -1 }] }, "/files/0/size"],
    ["half a byte", { files: [{ ...good, size: 0.5 }] }, "/files/0/size"],
    ["a size as text", { files: [{ ...good, size: "1" }] }, "/files/0/size"],
    ["a huge size", { files: [{ ...good, size: limits.bytesPerFile + 1 }] }, "/files/0/size"],
    ["a size that no number holds", { files: [{ ...good, size: 2 ** 53 }] }, "/files/0/size"],
    ["too many bytes in all", { files: manyFiles(21).map((file) => ({ ...file, ...large })) }, "/files/20/size"],
    ["a short hash", { files: [{ ...good, sha256: "ab" }] }, "/files/0/sha256"],
    ["a long hash", { files: [{ ...good, sha256: `${sha256("x")}00` }] }, "/files/0/sha256"],
    ["an upper-case hash", { files: [{ ...good, sha256: sha256("x").toUpperCase() }] }, "/files/0/sha256"],
    ["a hash that is a path", { files: [{ ...good, sha256: "../".repeat(21).padEnd(64, "a") }] }, "/files/0/sha256"],
    ["one content with two lengths", { files: [good, { ...good, path: "b", size: 2 }] }, "/files/1/size"],
    ["an unknown field of a file", { files: [{ ...good, mode: 7 }] }, "/files/0/mode"],
    ["an unknown field", { files: [good], owner: "x" }, "/owner"],
    ["a number as the expected release", { files: [good], expect_current: 7 }, "/expect_current"],
  ])("refuses %s and writes nothing", async (_, body, pointer) => {
    const { status, body: problem } = await create(body);
    expect({ status, code: problem.code }).toEqual({ status: 422, code: "validation_failed" });
    expect(problem.errors).toContainEqual({ pointer, detail: expect.any(String) });
    const { items, objects } = await storedProject(stage, slug);
    expect(Object.keys(items)).toEqual(["PROJECT"]);
    expect(objects).toEqual([]);
  });

  test("refuses a body that is too large, or no JSON", async () => {
    const headers = { "content-type": "application/json" };
    const path = `/projects/${slug}/releases`;
    const large = await ada.send("POST", path, { headers, body: " ".repeat(limits.jsonBodyBytes + 1) });
    expect(large).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
    const broken = await ada.send("POST", path, { headers, body: '{"files": [' });
    expect(broken).toMatchObject({ status: 400, body: { code: "malformed_json" } });
    const text = await ada.send("POST", path, { headers: { "content-type": "text/plain" }, body: "{}" });
    expect(text).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
  });
});

describe("an open release", () => {
  /** An open release whose life ends this many seconds from now. */
  async function openFor(secondsFromNow: number) {
    const { body } = await openRelease(ada, slug, folder);
    const { id } = body.release;
    const { items } = await storedProject(stage, slug);
    const manifest = items[`RELEASE#${id}`]?.["manifest"] as string;
    for (const key of [keys.release(slug, id), keys.openManifest(slug, manifest)])
      await endLife(stage, key, secondsFromNow);
    return { id, manifest };
  }

  test("is not there any more once its time is over, wherever DynamoDB still has it", async () => {
    const { id } = await openFor(-1);
    const base = `/projects/${slug}/releases`;
    const gone = { status: 404, body: { code: "release_not_found" } };
    expect(await ada.get(`${base}/${id}`)).toMatchObject(gone);
    expect(await ada.post(`${base}/${id}/publish`)).toMatchObject(gone);
    expect(await ada.post(`${base}/${id}/uploads`, { sha256: [sha256("PNG")] })).toMatchObject(gone);
    expect((await ada.get(base)).body).toEqual({ releases: [], next_cursor: null });
    const again = await ada.post(base, { files: manifestOf(folder) });
    expect(again).toMatchObject({ status: 201, body: { missing: [] } });
    expect(again.body.release.id).not.toBe(id);
  });

  test("gets its whole time again when it is found again", async () => {
    const { id, manifest } = await openFor(5 * day);
    const { body } = await ada.post(`/projects/${slug}/releases`, { files: manifestOf(folder) });
    expect(body.release.id).toBe(id);
    expect(Math.abs(secondsUntil(body.release.expires_at) - 7 * day)).toBeLessThan(10);
    const { items } = await storedProject(stage, slug);
    const ttl = Date.parse(body.release.expires_at) / 1_000;
    expect(items[`RELEASE#${id}`]).toMatchObject({ ttl });
    expect(items[`MANIFEST#${manifest}`]).toMatchObject({ ttl });
  });

  test("is not written again on the day that it was opened", async () => {
    await openFor(7 * day - 3_600);
    const before = await storedProject(stage, slug);
    await ada.post(`/projects/${slug}/releases`, { files: manifestOf(folder) });
    expect(await storedProject(stage, slug)).toEqual(before);
  });
});

describe("POST …/releases/:id/uploads", () => {
  /** The upload address of the only file of a new release. */
  async function addressFor(bytes: string): Promise<UploadAddress> {
    const { body } = await ada.post(`/projects/${slug}/releases`, { files: manifestOf({ file: bytes }) });
    const path = `/projects/${slug}/releases/${body.release.id}/uploads`;
    const answer = await ada.post(path, { sha256: [sha256(bytes)] });
    expect(answer.status).toBe(200);
    expect(Math.abs(secondsUntil(answer.body.expires_at) - 3_600)).toBeLessThan(10);
    expect(answer.body).toEqual({ uploads: [expect.anything()], expires_at: time });
    return answer.body.uploads[0];
  }

  test("gives an address that signs the length and the SHA-256", async () => {
    const address = await addressFor("hello");
    expect(address).toEqual({
      sha256: sha256("hello"),
      url: expect.stringContaining(`/projects/${slug}/files/${sha256("hello")}?`),
      headers: {
        "content-length": "5",
        "x-amz-checksum-sha256": Buffer.from(sha256("hello"), "hex").toString("base64"),
      },
    });
    const signed = new URL(address.url).searchParams.get("X-Amz-SignedHeaders");
    expect(signed).toBe("content-length;host;x-amz-checksum-sha256");
    expect(await upload(address, "hello")).toBe(200);
    expect((await storedProject(stage, slug)).objects).toContain(`files/${sha256("hello")}`);
  });

  test.each([
    ["other bytes of the same length", "hullo", {}],
    ["fewer bytes", "hell", { "content-length": "4" }],
    ["more bytes", "hello!", { "content-length": "6" }],
    [
      "other bytes with their own checksum",
      "hullo",
      { "x-amz-checksum-sha256": Buffer.from(sha256("hullo"), "hex").toString("base64") },
    ],
  ])("the store refuses %s, and keeps nothing", async (_, bytes, headers) => {
    const address = await addressFor("hello");
    const status = await upload({ ...address, headers: { ...address.headers, ...headers } }, bytes);
    expect([400, 403]).toContain(status);
    expect((await storedProject(stage, slug)).objects).toEqual([expect.stringMatching(/^manifests\//)]);
  });

  test("the store refuses the bytes without their checksum, and under another key", async () => {
    const address = await addressFor("hello");
    const { "x-amz-checksum-sha256": _, ...rest } = address.headers;
    expect(await upload({ ...address, headers: rest }, "hello")).toBe(403);
    const elsewhere = address.url.replace(`${sha256("hello")}?`, `${sha256("hullo")}?`);
    expect(await upload({ ...address, url: elsewhere }, "hello")).toBe(403);
    expect((await storedProject(stage, slug)).objects).toEqual([expect.stringMatching(/^manifests\//)]);
  });

  test("gives each content one address, however often it is asked for", async () => {
    const { body } = await openRelease(ada, slug, folder);
    const hash = sha256("PNG");
    const path = `/projects/${slug}/releases/${body.release.id}/uploads`;
    expect((await ada.post(path, { sha256: [hash, hash] })).body.uploads).toHaveLength(1);
  });

  test("refuses what is not of this release, and more than 1,000 hashes", async () => {
    const { body } = await openRelease(ada, slug, folder);
    const path = `/projects/${slug}/releases/${body.release.id}/uploads`;
    const refusal = async (hashes: unknown) => {
      const { status, body } = await ada.post(path, { sha256: hashes });
      return { status, code: body.code, errors: body.errors };
    };
    const refused = (pointer: string, detail: unknown = expect.any(String)) => ({
      status: 422,
      code: "validation_failed",
      errors: [{ pointer, detail }],
    });
    expect(await refusal([sha256("PNG"), sha256("?")])).toEqual(refused("/sha256/1", "is not a file of this release"));
    expect(await refusal([])).toEqual(refused("/sha256"));
    expect(await refusal(["x"])).toEqual(refused("/sha256/0"));
    expect(await refusal(Array(1_001).fill(sha256("PNG")))).toEqual(refused("/sha256"));
  });

  test("does not find a release of another project", async () => {
    const { body } = await openRelease(ada, slug, folder);
    const path = `/projects/${await newProject(ada)}/releases/${body.release.id}`;
    const gone = { status: 404, body: { code: "release_not_found" } };
    expect(await ada.post(`${path}/uploads`, { sha256: [sha256("PNG")] })).toMatchObject(gone);
    expect(await ada.post(`${path}/publish`)).toMatchObject(gone);
    expect(await ada.get(path)).toMatchObject(gone);
  });
});

describe("GET /projects/:slug/releases", () => {
  test("lists them newest first with their states, page by page; each is there by its id too", async () => {
    const first = await publish(ada, slug, { "index.html": "1" });
    const second = await publish(ada, slug, { "index.html": "2" });
    const { body: opened } = await openRelease(ada, slug, { "index.html": "3", more: "bytes" });
    const base = `/projects/${slug}/releases`;
    const { status, headers, body } = await ada.get(base);
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    const published = { files: 1, bytes: 1, created_at: time, published_at: time, expires_at: null };
    expect(body).toEqual({
      releases: [
        opened.release,
        { id: second, status: "live", ...published },
        { id: first, status: "published", ...published },
      ],
      next_cursor: null,
    });
    for (const release of body.releases) expect((await ada.get(`${base}/${release.id}`)).body).toEqual(release);
    const page = await ada.get(`${base}?limit=2`);
    const rest = await ada.get(`${base}?limit=2&cursor=${page.body.next_cursor}`);
    expect([...page.body.releases, ...rest.body.releases]).toEqual(body.releases);
    expect(await ada.get(`${base}?cursor=%21%21`)).toMatchObject({ status: 400, body: { code: "invalid_cursor" } });
  });
});
