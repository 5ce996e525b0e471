import { expect, test } from "@jest/globals";
import { limits } from "../../../contract/api/limits.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { deltaOf } from "../../support/service/delta.ts";
import { addMember } from "../../support/service/operations.ts";
import { play } from "../../support/service/play.ts";
import {
  liveRelease,
  manifestOf,
  newSlug,
  openRelease,
  publish,
  readyRelease,
  sha256,
} from "../../support/service/steps.ts";
import { until } from "../until.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

const v = visitor();

const page = (title: string) => `<!doctype html><title>${title}</title><h1>${title}</h1>`;

/** Four pictures at a time, each examined, take a busy machine minutes. */
const longest = 300_000;

/** A project of Ada, with a live release if there is a page for one, and its open page. */
async function openProject(live?: string) {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  if (live) await publish(v.ada, slug, { "index.html": page(live) });
  return { slug, enter: () => v.enter(`projects/${slug}/releases`) };
}

const dialog = () => v.page.getByRole("dialog");
const row = (id: string) => v.page.locator(`#row-${id}`);
/** Chooses an entry of a release's menu. */
async function choose(id: string, entry: string): Promise<void> {
  await row(id)
    .getByRole("button", { name: /^More for / })
    .click();
  await row(id)
    .getByRole("button", { name: new RegExp(`^${entry} `) })
    .click();
}
const previewsOf = async (slug: string) => (await v.ada.get(`/projects/${slug}/previews`)).body.previews;

test(
  "an open release is previewed, played at its URL, promoted after its changes are shown, and live then",
  async () => {
    const { slug, enter } = await openProject("First");
    const { body } = await openRelease(v.ada, slug, { "index.html": page("Second"), "new.txt": "new" });
    const { id } = body.release;
    await enter();
    await row(id).getByText("Not published").waitFor();
    await choose(id, "Open preview");
    await row(id).getByText("Preview", { exact: true }).waitFor();
    // The menu is closed, and the keyboard is where it was opened.
    await until(v.page, "document.activeElement.innerText.startsWith('More for')");
    const [{ url }] = await previewsOf(slug);
    const link = row(id).getByRole("link", { name: "Play the preview" });
    expect(await link.getAttribute("href")).toBe(url);
    await row(id).getByText(url, { exact: true }).waitFor();
    expect(await lookAt(v.page, "preview", link)).toEqual([]);
    const [played] = await Promise.all([v.context.waitForEvent("page"), link.click()]);
    await played.getByRole("heading", { name: "Second" }).waitFor();

    const opens = row(id).getByRole("button", { name: /^Make live Release of / });
    await opens.click();
    await dialog().getByText("1 file changes").waitFor();
    await dialog().getByText("1 file is new").waitFor();
    expect(await liveRelease(v.ada, slug)).not.toBe(id);
    await dialog().getByRole("button", { name: "Make live" }).click();
    await dialog().waitFor({ state: "detached" });
    await row(id).getByText("Live", { exact: true }).waitFor();
    // The button is gone, and the keyboard is in its row.
    await until(v.page, `document.activeElement.closest(".row")?.id`, `row-${id}`);
    expect(await liveRelease(v.ada, slug)).toBe(id);
    expect(await previewsOf(slug)).toEqual([]);
    const gone = row(id).getByRole("button", { name: /preview|Make live/ });
    await gone.first().waitFor({ state: "detached" });
  },
  longest,
);

test("a preview that is ended cannot be played, and its release stays open", async () => {
  const { slug, enter } = await openProject();
  const id = await readyRelease(v.ada, slug, "next");
  await v.ada.post(`/projects/${slug}/releases/${id}/preview`);
  const [{ url }] = await previewsOf(slug);
  const label = new URL(url).hostname.split(".")[0] ?? "";
  expect((await play(v.service, label)).status).toBe(200);
  await enter();
  await choose(id, "End preview");
  await row(id).getByText("Not published").waitFor();
  await row(id).getByRole("link", { name: /^Play/ }).waitFor({ state: "detached" });
  expect(await previewsOf(slug)).toEqual([]);
  expect((await play(v.service, label)).status).toBe(404);
  expect((await v.ada.get(`/projects/${slug}/releases/${id}`)).body.status).toBe("open");
});

test(
  "an earlier release is looked at by a preview of its own, made live from there, or its preview is ended",
  async () => {
    const { slug, enter } = await openProject();
    const first = await publish(v.ada, slug, { "index.html": page("First") });
    await publish(v.ada, slug, { "index.html": page("Second") });
    await enter();
    const more = row(first).getByRole("button", { name: "More for Release #1" });
    await more.click();
    await v.button("Open preview Release #1").waitFor();
    expect(await lookAt(v.page, "earlier-menu", more)).toEqual([]);
    await v.button("Open preview Release #1").click();
    const link = row(first).getByRole("link", { name: "Play the preview of Release #1" });
    const [played] = await Promise.all([v.context.waitForEvent("page"), link.click()]);
    await played.getByRole("heading", { name: "First" }).waitFor();
    await row(first).getByText("Earlier", { exact: true }).waitFor();
    await choose(first, "End preview");
    await link.waitFor({ state: "detached" });
    // The menu is closed, and the keyboard is where it was opened.
    await until(v.page, "document.activeElement.innerText.includes('More for Release #1')");
    expect(await previewsOf(slug)).toEqual([]);
    await choose(first, "Open preview");
    await link.waitFor();
    await row(first).getByRole("button", { name: "Make live Release #1" }).click();
    await dialog().getByRole("button", { name: "Make live" }).click();
    await dialog().waitFor({ state: "detached" });
    expect(await liveRelease(v.ada, slug)).toBe(first);
    await link.waitFor({ state: "detached" });
  },
  longest,
);

test("an unfinished release is gone on with at the drop area, or deleted, and then not listed", async () => {
  const { slug, enter } = await openProject();
  const files = manifestOf({ "index.html": "never sent" });
  const { body } = await v.ada.post(`/projects/${slug}/releases`, { files });
  const { id } = body.release;
  await enter();
  await v.page.getByRole("button", { name: /^Continue Release of / }).click();
  await until(v.page, "document.activeElement.innerText", "Choose a folder");
  await choose(id, "Delete release");
  await dialog().getByText("It was never live.").waitFor();
  await dialog().getByRole("button", { name: "Delete release" }).click();
  await v.page.getByText("Nothing published yet").waitFor();
  expect((await v.ada.get(`/projects/${slug}/releases`)).body.releases).toEqual([]);
});

test("what refuses a preview is said in its row: files that are not uploaded, and the tenth preview", async () => {
  const { slug, enter } = await openProject();
  const files = manifestOf({ "index.html": "never sent" });
  const { body } = await v.ada.post(`/projects/${slug}/releases`, { files });
  await enter();
  const { id } = body.release;
  await choose(id, "Open preview");
  await row(id).getByText("1 file of this release is not uploaded yet").waitFor();
  expect(await lookAt(v.page, "preview-refused", row(id))).toEqual([]);

  for (let count = 0; count < limits.previewsPerProject; count += 1)
    await v.ada.post(`/projects/${slug}/releases/${await readyRelease(v.ada, slug, `next ${count}`)}/preview`);
  const more = await readyRelease(v.ada, slug, "one more");
  await v.page.reload();
  await choose(more, "Open preview");
  await row(more).getByText(`This project has ${limits.previewsPerProject} previews`).waitFor();
  expect(await previewsOf(slug)).toHaveLength(limits.previewsPerProject);
});

test("the review before a release goes live names new deltas, and copies that are not their files", async () => {
  const { slug, enter } = await openProject();
  const data = "let score = 0;\n".repeat(200);
  await publish(v.ada, slug, { "index.html": page("First"), "data.bin": `${data}old` });
  const bytes = { "index.html": page("Second"), "data.bin": `${data}new` };
  const delta = deltaOf(`${data}old`, bytes["data.bin"]);
  const content = { size: delta.length, sha256: sha256(delta), dictionary: sha256(`${data}old`) };
  const files = manifestOf(bytes).map((file) => (file.path === "data.bin" ? { ...file, deltas: [content] } : file));
  const { body } = await openRelease(v.ada, slug, { ...bytes, delta }, files);
  const { id } = body.release;
  expect(await v.ada.post(`/projects/${slug}/releases/${id}/preview`)).toMatchObject({ status: 200 });
  await enter();
  const opens = row(id).getByRole("button", { name: /^Make live Release of / });
  await opens.click();
  await dialog().getByText("1 file has a new delta").click();
  await dialog().getByText("data.bin").locator("visible=true").waitFor();
  await dialog().getByRole("button", { name: "Cancel" }).click();
  // Found false while it is previewed, which no test can wait for: the service refuses what it knows before.
  await v.page.route(/\/releases\/[^/]+\/changes$/, async (route) => {
    const response = await route.fetch();
    const changes = await response.json();
    const copies = { ...changes.copies, checked: false, false: { count: 1, paths: ["data.bin"] } };
    await route.fulfill({ response, json: { ...changes, copies } });
  });
  const list = `${v.service.api}/projects/${slug}/releases`;
  await v.page.route(new RegExp(`^${list}(?:\\?.*)?$`), async (route) => {
    const response = await route.fetch();
    const { releases, ...rest } = await response.json();
    const marked = releases.map((release: object) => ({ ...release, false_copies: 2 }));
    await route.fulfill({ response, json: { ...rest, releases: marked } });
  });
  await v.page.reload();
  await row(id).getByText("2 compressed copies are not their files and are never sent").waitFor();
  await opens.click();
  await dialog().getByText("1 file has a compressed copy or a delta that is not the file").waitFor();
  await dialog().getByText("Compressed copies are still being checked.").waitFor();
  expect(await lookAt(v.page, "false-copies")).toEqual([]);
});

test("a viewer plays a preview from the Overview", async () => {
  const { slug } = await openProject("First");
  const id = await readyRelease(v.ada, slug, page("Next"));
  const { body } = await v.ada.post(`/projects/${slug}/releases/${id}/preview`);
  const grace = await actorsOf(v.service).developer({ sub: "grace", name: "Grace Hopper" });
  await addMember(v.ada, slug, grace, "viewer");
  await v.enter(`projects/${slug}`, { name: "Grace Hopper" });
  const latest = v.page.getByRole("region", { name: "Latest releases" });
  const link = latest.getByRole("link", { name: /^Play the preview of / });
  expect(await link.getAttribute("href")).toBe(body.preview.url);
  const [played] = await Promise.all([v.context.waitForEvent("page"), link.click()]);
  await played.getByRole("heading", { name: "Next" }).waitFor();
});
