import { beforeAll, describe, expect, test } from "@jest/globals";
import { limits } from "../../../contract/api/limits.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { withProject } from "../../support/service/operations.ts";
import { openRelease, sha256 } from "../../support/service/steps.ts";
import { useOwner, useService } from "../../support/service/suite.ts";
import { storedProject } from "../../support/table/stored-project.ts";

const service = useService();

test("a token without the scope publish is told which one it needs, and which one it has", async () => {
  const ada = await withProject(await actorsOf(service).developer());
  const { id } = (await openRelease(ada, ada.slug, { "index.html": "<h1>" })).body.release;
  const token = await ada.token({ scopes: ["preview"] });
  const { status, headers, body } = await token.post(`/projects/${ada.slug}/releases/${id}/publish`);
  expect({ status, code: body.code }).toEqual({ status: 403, code: "insufficient_scope" });
  expect(body.detail).toBe(
    "This needs the scope publish; the personal access token has preview. Create one that has it.",
  );
  expect(headers.get("www-authenticate")).toMatch(
    /^Bearer realm="svc", error="insufficient_scope", scope="publish", resource_metadata="[^"]+"$/,
  );
});

describe("POST /projects/:slug/releases", () => {
  // Nothing that is refused changes it.
  const ada = useOwner(service, beforeAll);
  const create = (body: object) => ada.post(`/projects/${ada.slug}/releases`, body);
  const good = { path: "index.html", size: 1, sha256: sha256("x") };
  const manyFiles = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ path: `f${index}`, size: 1, sha256: sha256("x") }));

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

  test.each([
    ["no files", {}, "/files"],
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
    ["a path out of the folder", { files: [{ ...good, path: "../x" }] }, "/files/0/path"],
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
    ["a size as text", { files: [{ ...good, size: "1" }] }, "/files/0/size"],
    ["a long hash", { files: [{ ...good, sha256: `${sha256("x")}00` }] }, "/files/0/sha256"],
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
