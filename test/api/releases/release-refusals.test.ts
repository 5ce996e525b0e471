import { beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { limits } from "../../../contract/api/limits.ts";
import { type Actor, actorsOf } from "../../support/service/actors.ts";
import { manifestOf, newProject, openRelease, sha256 } from "../../support/service/steps.ts";
import { useOwner, useService } from "../../support/service/suite.ts";
import { storedProject } from "../../support/table/stored-project.ts";

const service = useService();
const actors = actorsOf(service);

describe.each([
  [
    "POST /projects/:slug/releases",
    undefined,
    (actor: Actor, base: string) => actor.post(base, { files: manifestOf({ "index.html": "<h2>" }) }),
  ],
  [
    "POST …/uploads",
    undefined,
    (actor: Actor, base: string, id: string) => actor.post(`${base}/${id}/uploads`, { sha256: [sha256("<h1>")] }),
  ],
  ["POST …/publish", "publish", (actor: Actor, base: string, id: string) => actor.post(`${base}/${id}/publish`)],
  ["GET /projects/:slug/releases", undefined, (actor: Actor, base: string) => actor.get(base)],
  ["GET …/releases/:id", undefined, (actor: Actor, base: string, id: string) => actor.get(`${base}/${id}`)],
] as const)("%s", (_, scope, call) => {
  const ada = useOwner(service);
  let base: string;
  let id: string;

  beforeEach(async () => {
    base = `/projects/${ada.slug}/releases`;
    const { body } = await openRelease(ada, ada.slug, { "index.html": "<h1>" });
    id = body.release.id;
  });

  async function refusal(actor: Actor) {
    const before = await storedProject(service, ada.slug);
    const { status, body } = await call(actor, base, id);
    expect(await storedProject(service, ada.slug)).toEqual(before);
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

  test("is refused to a token without the required scope, which the error names", async () => {
    const token = await ada.token({ scopes: ["preview"] });
    if (scope === undefined) {
      // It sees what it opened, or found open.
      await token.post(base, { files: manifestOf({ "index.html": "<h1>" }) });
      expect((await call(token, base, id)).status).toBeLessThan(300);
      return;
    }
    expect(await refusal(token)).toBe("403 insufficient_scope");
    const { headers, body } = await call(token, base, id);
    expect(body.detail).toBe(
      "This needs the scope publish; the personal access token has preview. Create one that has it.",
    );
    expect(headers.get("www-authenticate")).toMatch(
      /^Bearer realm="svc", error="insufficient_scope", scope="publish", resource_metadata="[^"]+"$/,
    );
  });

  test("does not find a missing project", async () => {
    expect(await call(ada, "/projects/none-such/releases", id)).toMatchObject({
      status: 404,
      body: { code: "project_not_found" },
    });
  });

  test("is open to the owner's token that names the project", async () => {
    const token = await ada.token({ projects: [ada.slug] });
    expect([200, 201]).toContain((await call(token, base, id)).status);
  });
});

describe("POST /projects/:slug/releases", () => {
  // Nothing that is refused changes it.
  const ada = useOwner(service, beforeAll);
  const create = (body: object) => ada.post(`/projects/${ada.slug}/releases`, body);
  const good = { path: "index.html", size: 1, sha256: sha256("x") };
  const manyFiles = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ path: `f${index}`, size: 1, sha256: sha256("x") }));
  const large = { size: limits.bytesPerFile, sha256: sha256("x") };

  const sized = (count: number, size: number) =>
    Array.from({ length: count }, (_, index) => ({ path: `f${index}`, size, sha256: sha256(`sized ${index}`) }));
  const largest = Math.floor(limits.bytesPerRelease / limits.bytesPerFile);
  const rest = limits.bytesPerRelease - largest * limits.bytesPerFile;

  test.each([
    ["as many files as it can have", manyFiles(limits.filesPerRelease)],
    ["the largest file", sized(1, limits.bytesPerFile)],
    ["as many bytes as it can have", [...sized(largest, limits.bytesPerFile), { ...good, size: rest }]],
  ])("takes %s", async (_, files) => {
    expect(await create({ files, dry_run: true })).toMatchObject({ status: 200, body: { release: null } });
  });

  test("refuses a byte more than a release can have", async () => {
    const files = [...sized(largest, limits.bytesPerFile), { ...good, size: rest + 1 }];
    expect(await create({ files, dry_run: true })).toMatchObject({ status: 422, body: { code: "validation_failed" } });
  });

  test.each([
    ["no files", {}, "/files"],
    ["an empty list", { files: [] }, "/files"],
    ["20,001 files", { files: manyFiles(limits.filesPerRelease + 1) }, "/files"],
    [
      "a variant that saves too little",
      { files: [{ ...good, size: 100, br: { size: 91, sha256: sha256("y") } }] },
      "/files/0/br",
    ],
    [
      "a variant of what is compressed",
      { files: [{ ...good, size: 9, path: "a.js.br", br: { size: 1, sha256: sha256("y") } }] },
      "/files/0/br",
    ],
    ["a variant without its length", { files: [{ ...good, br: { sha256: sha256("y") } }] }, "/files/0/br/size"],
    ["a variant without its hash", { files: [{ ...good, br: { size: 0 } }] }, "/files/0/br/sha256"],
    [
      "a variant with an unknown field",
      { files: [{ ...good, br: { size: 0, sha256: sha256("y"), gzip: 1 } }] },
      "/files/0/br/gzip",
    ],
    [
      "a variant and a file of one hash with two lengths",
      { files: [{ ...good, size: 9, br: { size: 1, sha256: good.sha256 } }] },
      "/files/0/br",
    ],
    [
      "a delta that saves too little",
      { files: [{ ...good, size: 100, deltas: [{ dictionary: sha256("x"), size: 50, sha256: sha256("y") }] }] },
      "/files/0/deltas",
    ],
    [
      "a delta without its dictionary",
      { files: [{ ...good, deltas: [{ size: 0, sha256: sha256("y") }] }] },
      "/files/0/deltas/0/dictionary",
    ],
    [
      "a delta of a dictionary that is no hash",
      { files: [{ ...good, deltas: [{ dictionary: "X", size: 0, sha256: sha256("y") }] }] },
      "/files/0/deltas/0/dictionary",
    ],
    [
      "a delta and a file of one hash with two lengths",
      { files: [{ ...good, size: 9, deltas: [{ dictionary: sha256("x"), size: 1, sha256: good.sha256 }] }] },
      "/files/0/deltas",
    ],
    ["updates of an unknown kind", { files: [good], settings: { updates: "delta" } }, "/settings/updates"],
    ["an unknown setting", { files: [good], settings: { threads: true } }, "/settings/threads"],
    ["isolation of an unknown kind", { files: [good], settings: { isolation: "true" } }, "/settings/isolation"],
    ["spa that is neither true nor false", { files: [good], settings: { spa: "yes" } }, "/settings/spa"],
    ["frame of an unknown kind", { files: [good], settings: { frame: "some" } }, "/settings/frame"],
    [
      "a frame of an origin with a path",
      { files: [good], settings: { frame: ["https://a.example", "https://b.example/x"] } },
      "/settings/frame/1",
    ],
    [
      "a frame of 21 origins",
      { files: [good], settings: { frame: Array(21).fill("https://a.example") } },
      "/settings/frame",
    ],
    ["an unknown encoding", { files: [{ ...good, path: "a.js.gz", encoding: "gzip" }] }, "/files/0/encoding"],
    ["an encoding if the name says none", { files: [{ ...good, encoding: "identity" }] }, "/files/0/encoding"],
    [
      "an absolute immutable pattern",
      { files: [good], settings: { immutable: ["a/*", "/b"] } },
      "/settings/immutable/1",
    ],
    [
      "eleven immutable patterns",
      { files: [good], settings: { immutable: Array(11).fill("a") } },
      "/settings/immutable",
    ],
    ["a path out of the folder", { files: [{ ...good, path: "../x" }] }, "/files/0/path"],
    ["a path that leaves the folder in its middle", { files: [good, { ...good, path: "a/../../x" }] }, "/files/1/path"],
    ["a picture that is none of the files", { files: [good], picture: "cover.png" }, "/picture"],
    ["a picture that is no image", { files: [good], picture: "index.html" }, "/picture"],
    [
      "a picture that is unpacked before it is one",
      { files: [{ ...good, path: "a.png.gz" }], picture: "a.png.gz" },
      "/picture",
    ],
    [
      "a picture that is too large for lists",
      { files: [{ ...good, path: "a.png", size: limits.pictureBytes + 1 }], picture: "a.png" },
      "/picture",
    ],
    ["a picture out of the folder", { files: [good], picture: "../cover.png" }, "/picture"],
    [
      "more left-out paths than are kept",
      { files: [good], choices: { left_out: Array.from({ length: 101 }, (_, index) => `${index}.txt`) } },
      "/choices/left_out",
    ],
    [
      "a left-out path that is too long",
      { files: [good], choices: { left_out: ["a".repeat(251)] } },
      "/choices/left_out/0",
    ],
    ["a page without a name", { files: [good], choices: { index: "" } }, "/choices/index"],
    ["a choice that is none", { files: [good], choices: { spa: true } }, "/choices/spa"],
    ["a picture beside files that are none", { files: "index.html", picture: "cover.png" }, "/files"],
    ["an absolute path", { files: [{ ...good, path: "/etc/passwd" }] }, "/files/0/path"],
    ["a backslash", { files: [{ ...good, path: "a\\b" }] }, "/files/0/path"],
    ["a percent sign", { files: [{ ...good, path: "100%25.png" }] }, "/files/0/path"],
    ["a question mark", { files: [{ ...good, path: "style.css?v=2" }] }, "/files/0/path"],
    ["a NUL", { files: [{ ...good, path: "a\0b" }] }, "/files/0/path"],
    ["a tab, which would split a manifest's line", { files: [{ ...good, path: "a\tb" }] }, "/files/0/path"],
    ["a line feed, which would end it", { files: [{ ...good, path: "a\nb" }] }, "/files/0/path"],
    ["a path twice", { files: [good, good] }, "/files/1/path"],
    ["two paths that differ only in case", { files: [good, { ...good, path: "INDEX.html" }] }, "/files/1/path"],
    [
      "two paths that differ only in their Unicode form",
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
    ["a size that is too large for a number", { files: [{ ...good, size: 2 ** 53 }] }, "/files/0/size"],
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
    const { items, objects } = await storedProject(service, ada.slug);
    expect(Object.keys(items)).toEqual(["PROJECT"]);
    expect(objects).toEqual([]);
  });

  test("refuses a body that is too large or not JSON", async () => {
    const headers = { "content-type": "application/json" };
    const path = `/projects/${ada.slug}/releases`;
    const large = await ada.send("POST", path, { headers, body: " ".repeat(5_242_881) });
    expect(large).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
    const broken = await ada.send("POST", path, { headers, body: '{"files": [' });
    expect(broken).toMatchObject({ status: 400, body: { code: "malformed_json" } });
    const text = await ada.send("POST", path, { headers: { "content-type": "text/plain" }, body: "{}" });
    expect(text).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
  });
});
