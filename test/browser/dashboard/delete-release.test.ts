import { expect, test } from "@jest/globals";
import { liveRelease, makeLive, newSlug, publish } from "../../support/service/steps.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

const v = visitor();

const page = (title: string) => `<!doctype html><title>${title}</title><h1>${title}</h1>`;

/** Eight pictures, each examined, take a busy machine minutes. */
const longest = 300_000;

test(
  "an earlier release is deleted after its consequences are shown, and its visits load files of the live one from then on",
  async () => {
    const slug = newSlug();
    await v.ada.post("/projects", { slug, name: "Bounce" });
    await publish(v.ada, slug, { "index.html": page("First") });
    const bad = await publish(v.ada, slug, { "index.html": page("Bad"), "key.txt": "a key", "data.txt": "bad" });
    const visit = await v.context.newPage();
    await visit.goto(`http://${slug}.${v.service.gamesDomain}/`);
    const loaded = (path: string) => visit.evaluate(async (url) => (await fetch(url)).text(), path);
    await publish(v.ada, slug, { "index.html": page("Fixed"), "data.txt": "good" });
    expect([await loaded("/key.txt"), await loaded("/data.txt")]).toEqual(["a key", "bad"]);

    await v.enter(`projects/${slug}/releases`);
    const row = v.page.locator(`#row-${bad}`);
    const open = async () => {
      await row.getByRole("button", { name: "More for Release #2" }).click();
      await v.page.getByRole("button", { name: "Delete release Release #2" }).click();
    };
    const dialog = v.page.getByRole("dialog");
    await open();
    await v.page.getByText("can never be live again").waitFor();
    expect(await lookAt(v.page, "delete-release")).toEqual([]);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await v.ada.get(`/projects/${slug}/releases/${bad}`)).body.status).toBe("published");
    await open();
    await dialog.getByRole("button", { name: "Delete release" }).click();
    await dialog.waitFor({ state: "detached" });
    const noted = v.page.getByText("deleted just now");
    await noted.waitFor();
    const { releases } = (await v.ada.get(`/projects/${slug}/releases`)).body;
    expect(releases.map(({ status }: { status: string }) => status)).toEqual(["live", "withdrawn", "published"]);
    // Nothing can be done with a deleted one but to copy its ID.
    await row.getByRole("button").click();
    expect(await row.getByRole("button").allTextContents()).toEqual(["More for Release #2", "Copy ID Release #2"]);
    await v.page.keyboard.press("Escape");

    expect(await loaded("/data.txt")).toBe("good");
    expect(await loaded("/key.txt")).toContain("Not found");
  },
  longest,
);

test("a release that goes live while its deletion is asked stays, and the page shows it as live", async () => {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  const first = await publish(v.ada, slug, { "index.html": page("First") });
  await publish(v.ada, slug, { "index.html": page("Second") });
  await v.enter(`projects/${slug}/releases`);
  await v.page.getByRole("button", { name: "More for Release #1" }).click();
  await v.page.getByRole("button", { name: "Delete release Release #1" }).click();
  const dialog = v.page.getByRole("dialog");
  await v.page.getByText("can never be live again").waitFor();
  expect((await makeLive(v.ada, slug, first)).status).toBe(200);
  await dialog.getByRole("button", { name: "Delete release" }).click();
  await dialog.getByText("This release, or one with the same files, is live.").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await v.page.getByRole("button", { name: "More for Release #2" }).waitFor();
  expect(await liveRelease(v.ada, slug)).toBe(first);
});
