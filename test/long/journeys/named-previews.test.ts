import { expect, test } from "@jest/globals";
import { useEdgeService } from "../../support/service/edge-service.ts";
import { play } from "../../support/service/play.ts";
import { handOver, openRelease, publish } from "../../support/service/steps.ts";
import { useOwner } from "../../support/service/suite.ts";

/*
 * Players' responses of previews with names. test/api/releases/named-previews.test.ts has the API's part.
 */
const service = useEdgeService();
const ada = useOwner(service);

const stored = (label: string) => service.games.store.edge(0).get(label);
const document = { "sec-fetch-dest": "document", accept: "text/html" };

/** Shows a release with these files at the preview's URL, and returns the first label of its host. */
async function push(files: Readonly<Record<string, string>>, body: object = {}): Promise<string> {
  const { body: opened } = await openRelease(ada, ada.slug, files);
  const { status, body: shown } = await ada.post(`/projects/${ada.slug}/releases/${opened.release.id}/preview`, {
    name: "pr-12",
    ...body,
  });
  expect({ status, edge: shown.edge }).toEqual({ status: 200, edge: "updated" });
  return new URL(shown.preview.url).hostname.split(".")[0] ?? "";
}

/** A page, and the cookie of the visit that it begins. */
async function open(label: string, cookie?: string) {
  const { body, headers } = await play(service, label, { headers: { ...document, ...(cookie && { cookie }) } });
  const set = ([headers["set-cookie"]].flat()[0] ?? cookie ?? "").split(";")[0] ?? "";
  return { text: body.toString(), cookie: set, robots: headers["x-robots-tag"] };
}

const file = async (label: string, path: string, cookie?: string) => {
  const { status, body } = await play(service, label, {
    path,
    headers: { "sec-fetch-dest": "empty", ...(cookie && { cookie }) },
  });
  return { status, text: body.toString() };
};

test("a visit on a preview goes on with its release when a push replaces it, and a new page gets the new one", async () => {
  const label = await push({ "index.html": "one", "level.json": "1", "only-one.json": "1" });
  const visit = await open(label);
  expect(visit).toMatchObject({ text: "one", robots: "noindex", cookie: expect.stringContaining("svc-release=") });
  expect(await push({ "index.html": "two", "level.json": "2" })).toBe(label);
  expect(await file(label, "/level.json", visit.cookie)).toEqual({ status: 200, text: "1" });
  expect(await file(label, "/level.json")).toEqual({ status: 200, text: "2" });
  // Browsers that keep no cookies get from the release before what this one lacks.
  expect(await file(label, "/only-one.json")).toEqual({ status: 200, text: "1" });
  const next = await open(label, visit.cookie);
  expect(next.text).toBe("two");
  expect(await file(label, "/level.json", next.cookie)).toEqual({ status: 200, text: "2" });
  // The page that is open behind it still finds its files.
  expect(await file(label, "/only-one.json", next.cookie)).toEqual({ status: 200, text: "1" });
});

test.each([
  ["was never live", false],
  ["was live", true],
])("a deleted release that %s gives its files to nobody at a preview that showed it before", async (_, wasLive) => {
  const bad = { "index.html": "one", "key.txt": "secret" };
  if (wasLive) for (const files of [bad, { "index.html": "live" }]) await publish(ada, ada.slug, files);
  const label = await push(bad);
  const visit = await open(label);
  await push({ "index.html": "two" });
  expect(await file(label, "/key.txt")).toEqual({ status: 200, text: "secret" });
  const releases = (await ada.get(`/projects/${ada.slug}/releases`)).body.releases.filter(
    ({ files, status }: { files: number; status: string }) => files === 2 && status !== "withdrawn",
  );
  for (const { id } of releases)
    expect((await ada.post(`/projects/${ada.slug}/releases/${id}/withdraw`)).body.edge).toBe("updated");
  for (const cookie of [undefined, visit.cookie, `${visit.cookie}.${visit.cookie.split("=")[1]}`])
    expect((await file(label, "/key.txt", cookie)).status).toBe(404);
  // A file that another release has too stays.
  expect((await open(label, visit.cookie)).text).toBe("two");
});

test("a preview that gets another URL is gone from the one that it had, and from both when it ends", async () => {
  const before = await push({ "index.html": "one" });
  const label = await push({ "index.html": "two" }, { new_url: true });
  expect([stored(before), stored(label)]).toEqual([undefined, expect.stringMatching(/^p\.[\w-]{43}\.\d+$/)]);
  expect((await play(service, before)).status).toBe(404);
  expect((await open(label)).text).toBe("two");
  expect((await ada.delete(`/projects/${ada.slug}/previews/pr-12`)).body).toEqual({ edge: "updated" });
  expect(stored(label)).toBeUndefined();
});

test("a game that is handed over has none of its previews, and one that is restored has all", async () => {
  const label = await push({ "index.html": "one" });
  await ada.delete(`/projects/${ada.slug}`);
  expect(stored(label)).toBeUndefined();
  await ada.post(`/projects/${ada.slug}/restore`);
  expect(stored(label)).toBeDefined();
  const grace = await ada.otherDeveloper();
  expect((await handOver(ada, ada.slug, grace)).status).toBe(200);
  expect(stored(label)).toBeUndefined();
});

test("a preview that is kept is in the store for as long, and leaves it then", async () => {
  const label = await push({ "index.html": "one" });
  const { body } = await ada.patch(`/projects/${ada.slug}/previews/pr-12`, { kept: true });
  expect(stored(label)).toMatch(new RegExp(`\\.${Date.parse(body.preview.expires_at) / 1_000}$`));
});
