import { beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { keys } from "../../../functions/table/keys.ts";
import { operate } from "../../../infra/operator/operator.ts";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import { useEdgeService } from "../../support/service/edge-service.ts";
import { addMember } from "../../support/service/operations.ts";
import { play } from "../../support/service/play.ts";
import {
  manifestOf,
  newProject,
  openRelease,
  publish,
  sha256,
  type UploadUrl,
  upload,
} from "../../support/service/steps.ts";
import { useService } from "../../support/service/suite.ts";
import { setAttribute } from "../../support/table/stored.ts";

const service = useService();
const actors = actorsOf(service);
let ada: Developer;
let slug: string;

const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const folder = {
  "index.html": "<!doctype html><p>Grüße",
  "a b/ü&#+.js": "1",
  "a b/index.html": "<p>a b",
  "hero.png": bytes,
  "empty.js": "",
  "empty.png": "",
  "data.json": Buffer.from('{"binary": "ÿ"}', "latin1"),
  "big.js": "x".repeat(4 * 1024 * 1024 + 1),
  "big.html": "y".repeat(4 * 1024 * 1024 + 1),
  "exactly.js": "z".repeat(4 * 1024 * 1024),
};

beforeAll(async () => {
  ada = await actors.developer();
  slug = await newProject(ada);
  await publish(ada, slug, folder);
});

function open(path: string, init: RequestInit = {}, project = slug) {
  return fetch(`${service.api}/projects/${project}/files/${path}`, { redirect: "manual", ...init });
}

async function bodyOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

describe("GET /projects/:slug/files/*path", () => {
  test("gives a page to everybody, sandboxed and revalidated each time", async () => {
    const response = await open("index.html", { headers: { origin: "null" } });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      etag: `"${sha256(folder["index.html"])}"`,
      "cache-control": "public, max-age=0, must-revalidate",
      "content-security-policy": expect.stringMatching(/^sandbox .*\ballow-scripts\b/),
      "x-content-type-options": "nosniff",
      "access-control-allow-origin": "*",
      "svc-version": "1.0.0",
    });
    expect(response.headers.get("content-security-policy")).not.toContain("allow-same-origin");
    expect((await bodyOf(response)).toString()).toBe(folder["index.html"]);
  });

  test("sends no bytes to a client that has them", async () => {
    const etag = `"${sha256(folder["index.html"])}"`;
    const response = await open("index.html", { headers: { "if-none-match": etag } });
    expect(response.status).toBe(304);
    expect(response.headers.get("etag")).toBe(etag);
    expect(await bodyOf(response)).toHaveLength(0);
  });

  test.each([
    ["a%20b/%C3%BC%26%23+.js", folder["a b/ü&#+.js"]],
    ["a%20b/u%CC%88%26%23%2B.js", folder["a b/ü&#+.js"]],
    ["a%20b/", folder["a b/index.html"]],
    ["data.json", folder["data.json"]],
    ["exactly.js", folder["exactly.js"]],
    ["empty.js", ""],
  ])("gives %s byte by byte", async (path, content) => {
    const response = await open(path);
    expect(response.status).toBe(200);
    expect((await bodyOf(response)).equals(Buffer.from(content))).toBe(true);
  });

  test.each([
    ["hero.png", "image/png", bytes],
    ["empty.png", "image/png", Buffer.from("")],
    ["big.js", "text/javascript; charset=utf-8", Buffer.from(folder["big.js"])],
  ])("redirects to %s at the store, byte by byte", async (path, type, content) => {
    const response = await open(path);
    expect(response.status).toBe(302);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const stored = await fetch(response.headers.get("location") ?? "", { headers: { origin: "null" } });
    expect(stored.status).toBe(200);
    expect(Object.fromEntries(stored.headers)).toMatchObject({
      "content-type": type,
      "access-control-allow-origin": "*",
    });
    expect((await bodyOf(stored)).equals(content)).toBe(true);
  });

  test("redirects to the same URL for five minutes, so that a browser uses its cached file", async () => {
    const { searchParams } = new URL((await open("hero.png")).headers.get("location") ?? "");
    expect(searchParams.get("X-Amz-Date")).toMatch(/T\d\d\d[05]00Z$/);
    expect(searchParams.get("response-cache-control")).toBe("private, max-age=31536000, immutable");
  });

  test("redirects pages of other origins to another URL than images, whose responses have no CORS headers", async () => {
    const urlFor = async (headers: Record<string, string>) =>
      (await open("hero.png", { headers })).headers.get("location") ?? "";
    const [image, page] = [await urlFor({}), await urlFor({ origin: "null" })];
    expect(new Set([image, page]).size).toBe(2);
    const allowed = async (url: string, headers: Record<string, string>) =>
      (await fetch(url, { headers })).headers.get("access-control-allow-origin");
    expect(await allowed(image, {})).toBeNull();
    expect(await allowed(page, { origin: "null" })).toBe("*");
  });

  test("redirects to a page that is too large, which the browser saves, because the store has no sandbox", async () => {
    const response = await open("big.html");
    const { searchParams } = new URL(response.headers.get("location") ?? "");
    expect(searchParams.get("response-content-disposition")).toBe("attachment");
    expect(searchParams.get("X-Amz-Expires")).toBe("900");
  });

  test("sends a file with its own headers, whatever headers its upload had", async () => {
    const project = await newProject(ada);
    const picture = { "index.html": "<p>", "hero.png": bytes };
    const { body: opened } = await ada.post(`/projects/${project}/releases`, { files: manifestOf(picture) });
    const path = `/projects/${project}/releases/${opened.release.id}`;
    const { body } = await ada.post(`${path}/uploads`, { sha256: [sha256(bytes)] });
    const [uploadUrl] = body.uploads as UploadUrl[];
    const lies = { "content-encoding": "gzip", "content-disposition": "attachment", "content-type": "text/html" };
    expect(await upload({ ...uploadUrl, headers: { ...lies, ...uploadUrl?.headers } } as UploadUrl, bytes)).toBe(200);
    await openRelease(ada, project, picture);
    await ada.post(`${path}/publish`);
    const response = await open("hero.png", {}, project);
    const stored = await fetch(response.headers.get("location") ?? "");
    expect((await bodyOf(stored)).equals(bytes)).toBe(true);
    expect(Object.fromEntries(stored.headers)).toMatchObject({
      "content-type": "image/png",
      "content-encoding": "identity",
      "content-disposition": "inline",
    });
  });

  test.each(["none.html", "INDEX.html", "index.html/", "a%20b", "..%2Findex.html", "hero.png%09256", "%00"])(
    "does not find %s",
    async (path) => {
      expect(await actors.anonymous.get(`/projects/${slug}/files/${path}`)).toMatchObject({
        status: 404,
        body: { code: "file_not_found" },
      });
    },
  );

  test("refuses a path that no file can have", async () => {
    expect(await actors.anonymous.get(`/projects/${slug}/files/${"x".repeat(2_049)}`)).toMatchObject({
      status: 400,
      body: { code: "invalid_parameters" },
    });
  });

  test("does not find a file of a missing project, or of one without a live release", async () => {
    expect(await actors.anonymous.get("/projects/none-such/files/index.html")).toMatchObject({
      status: 404,
      body: { code: "project_not_found" },
    });
    expect(await actors.anonymous.get(`/projects/${await newProject(ada)}/files/index.html`)).toMatchObject({
      status: 404,
      body: { code: "file_not_found", detail: "This project has no live release yet." },
    });
  });
});

describe("on a service with a games' edge, which counts what players get", () => {
  const edge = useEdgeService();
  const page = "<!doctype html><p>counted";
  let owner: Developer;
  let game: string;

  beforeEach(async () => {
    owner = await actorsOf(edge).developer();
    game = await newProject(owner);
    await publish(owner, game, { "index.html": page, "a b/ü#.png": bytes });
  });

  const request = async (path: string, credential?: string) => {
    const headers: Record<string, string> = credential === undefined ? {} : { authorization: `Bearer ${credential}` };
    const url = `${edge.api}/projects/${game}/files/${path}`;
    const response = await fetch(url, { redirect: "manual", headers });
    return { status: response.status, location: response.headers.get("location"), body: await response.text() };
  };
  const own = (path: string) => `http://${game}.${edge.gamesDomain}/${path}`;

  test("every caller is redirected to the game's own URL, and gets no byte from the API or the store", async () => {
    const member = await owner.otherDeveloper();
    await addMember(owner, game, member, "publisher");
    const token = await owner.token({ scopes: ["publish"] });
    const callers = [undefined, owner, member, await owner.otherDeveloper(), token].map((each) => each?.credential);
    for (const credential of callers)
      for (const path of ["index.html", "a%20b/%C3%BC%23.png", "none.html"])
        expect(await request(path, credential)).toEqual({ status: 302, location: own(path), body: "" });
    expect((await request("a%20b/u%CC%88%23.png")).location).toBe(own("a%20b/%C3%BC%23.png"));
    expect((await play(edge, game, { path: "/index.html" })).body.toString()).toContain(page);
    const picture = await play(edge, game, { path: new URL(own("a%20b/%C3%BC%23.png")).pathname });
    expect(picture.body.equals(bytes)).toBe(true);
  });

  test("a project over its limit of traffic sends nobody a file, and a suspended one not even there", async () => {
    const { location } = await request("index.html");
    const { pathname: path } = new URL(location ?? "");
    await setAttribute(edge, keys.project(game), "trafficLimit", { until: "2099-01-01T00:00:00.000Z" });
    const { status, body } = await play(edge, game, { path });
    expect({ status, text: body.toString() }).toEqual({ status: 404, text: expect.not.stringContaining("counted") });
    await operate(["suspend", "project", game, "--reason", "spam"], new Date());
    expect(await request("index.html")).toMatchObject({ status: 410, location: null });
  });

  test("neither a project that is offline nor a path that no file can have is redirected", async () => {
    expect(await request("ü".repeat(257))).toMatchObject({ status: 404, location: null });
    expect(await request("ü".repeat(256))).toMatchObject({ status: 302 });
    await owner.post(`/projects/${game}/unpublish`);
    expect(await request("index.html")).toMatchObject({ status: 404, location: null });
  });
});
