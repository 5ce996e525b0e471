import { beforeEach, describe, expect, test } from "@jest/globals";
import { keys } from "../../../functions/table/keys.ts";
import { newProject, openRelease, publish, sha256 } from "../../support/service/steps.ts";
import { useService, useSharedOwner } from "../../support/service/suite.ts";
import { setAttribute } from "../../support/table/stored.ts";

const service = useService();
const ada = useSharedOwner(service);
let slug: string;

beforeEach(async () => {
  slug = await newProject(ada);
});

const folder = { "a/1.png": "one", "a/2.png": "twos", "a/b/3.png": "three", "c/4.png": "4", "index.html": "<h1>" };
const filesOf = (id: string, query = "") => ada.get(`/projects/${slug}/releases/${id}/files${query}`);
const pathsOf = (body: { files: { path: string }[] }) => body.files.map(({ path }) => path);

describe("GET /projects/:slug/releases/:id/files", () => {
  test("lists every file with its size, its hash and a URL, and of a folder what lies in it", async () => {
    const id = await publish(ada, slug, folder);
    const { status, body } = await filesOf(id);
    expect(status).toBe(200);
    const url = expect.stringContaining("X-Amz-Expires=900&");
    const file = (path: keyof typeof folder) => ({
      path,
      size: folder[path].length,
      sha256: sha256(folder[path]),
      url,
    });
    const paths = ["a/1.png", "a/2.png", "a/b/3.png", "c/4.png", "index.html"] as const;
    expect(body).toEqual({ folders: [], files: paths.map(file), next_cursor: null });
    expect((await filesOf(id, "?folder=")).body).toEqual({
      folders: [
        { path: "a/", files: 3, bytes: 12 },
        { path: "c/", files: 1, bytes: 1 },
      ],
      files: [file("index.html")],
      next_cursor: null,
    });
    expect((await filesOf(id, "?folder=a%2F")).body).toMatchObject({
      folders: [{ path: "a/b/" }],
      files: [{ path: "a/1.png" }, { path: "a/2.png" }],
    });
  });

  test("comes page by page, folders first, and a cursor is of its list alone", async () => {
    const id = await publish(ada, slug, folder);
    const seen: unknown[] = [];
    let cursor = "";
    for (let page = 0; page < 3; page += 1) {
      const { body } = await filesOf(id, `?folder=&limit=1${cursor}`);
      seen.push([body.folders.map(({ path }: { path: string }) => path), pathsOf(body), body.next_cursor === null]);
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(seen).toEqual([
      [["a/"], [], false],
      [["c/"], [], false],
      [[], ["index.html"], true],
    ]);
    const first = await filesOf(id, "?limit=2");
    expect(pathsOf(first.body)).toEqual(["a/1.png", "a/2.png"]);
    const more = `?limit=1000&cursor=${first.body.next_cursor}`;
    expect(pathsOf((await filesOf(id, more)).body)).toEqual(["a/b/3.png", "c/4.png", "index.html"]);
    expect(await filesOf(id, `${more}&folder=`)).toMatchObject({ status: 400, body: { code: "invalid_cursor" } });
    expect(await filesOf(id, "?limit=1001")).toMatchObject({ status: 400, body: { code: "invalid_parameters" } });
  });

  test("a URL gives the bytes to who sends its header, and to nobody else", async () => {
    const id = await publish(ada, slug, folder);
    const { url } = (await filesOf(id)).body.files[2];
    const response = await fetch(url, { headers: { "svc-older-file": "1" } });
    expect([response.status, await response.text()]).toEqual([200, "three"]);
    expect((await fetch(url)).status).toBe(403);
  });

  test("an earlier release has URLs; one that was never live, and each of a suspended project, has none", async () => {
    const urlsOf = async (id: string) => (await filesOf(id)).body.files.map(({ url }: { url: string | null }) => url);
    const earlier = await publish(ada, slug, { "index.html": "1" });
    await publish(ada, slug, { "index.html": "2" });
    const { body } = await openRelease(ada, slug, { "index.html": "3" });
    expect(await urlsOf(earlier)).toEqual([expect.stringContaining("X-Amz-Signature")]);
    expect(await urlsOf(body.release.id)).toEqual([null]);
    const suspension = { at: "2026-01-01T00:00:00.000Z", reason: "malware" };
    await setAttribute(service, keys.project(slug), "suspension", suspension);
    expect(await urlsOf(earlier)).toEqual([null]);
  });

  test("a deleted release has no list, and a release of another project is not found", async () => {
    const gone = await publish(ada, slug, { "index.html": "1" });
    await publish(ada, slug, { "index.html": "2" });
    await ada.post(`/projects/${slug}/releases/${gone}/withdraw`);
    expect(await filesOf(gone)).toMatchObject({ status: 409, body: { code: "release_withdrawn" } });
    const other = await newProject(ada);
    const foreign = await publish(ada, other, { "index.html": "1" });
    expect(await filesOf(foreign)).toMatchObject({ status: 404, body: { code: "release_not_found" } });
  });
});
