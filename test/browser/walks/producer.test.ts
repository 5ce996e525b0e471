import { expect, test } from "@jest/globals";
import { keys } from "../../../functions/table/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { addMember } from "../../support/service/operations.ts";
import { play } from "../../support/service/play.ts";
import { liveRelease, makeLive, publish, readyRelease } from "../../support/service/steps.ts";
import { setAttribute } from "../../support/table/stored.ts";
import { keepLooks, lookAt } from "../dashboard/screens.ts";
import { visitor } from "../dashboard/visitor.ts";

/*
 * Ada, a producer with forty games, two colleagues and a tester: she finds a game and comes back to where she was, sees what Grace does,
 * and takes a release back.
 */

const v = visitor();

const nouns = ["Catcher", "Kart", "Golf", "Train", "Puzzle", "Castle", "Runner", "Garden"];
const looks = ["Star", "Neon", "Tiny", "Midnight", "Lost"];
const names = looks.flatMap((look) => nouns.map((noun) => `${look} ${noun}`));
const slugOf = (name: string) => name.toLowerCase().replace(" ", "-");

const games = () => v.page.getByRole("list", { name: "Projects", exact: true }).getByRole("listitem");
const namesShown = () => games().getByRole("heading").allTextContents();
const choose = (list: RegExp) => v.page.getByRole("radio", { name: list }).check();
const search = () => v.page.getByRole("searchbox", { name: "Search projects" });

test("finds one of forty games, also by the keyboard, and Back keeps the place", async () => {
  await Promise.all(names.map((name) => v.ada.post("/projects", { slug: slugOf(name), name })));
  for (const name of ["Star Catcher", "Neon Kart", "Tiny Golf"])
    await publish(v.ada, slugOf(name), { "index.html": name });
  const preview = await readyRelease(v.ada, "lost-garden", "preview");
  await v.ada.post(`/projects/lost-garden/releases/${preview}/preview`);
  const suspension = { at: new Date().toISOString(), reason: "spam" };
  await setAttribute(v.service, keys.project("neon-kart"), "suspension", suspension);
  await v.enter();
  await games().nth(39).waitFor();
  expect(await lookAt(v.page, "forty-games")).toEqual([]);
  await keepLooks(v.page, "walk-producer-1-games");

  // Filters, each with its number.
  await choose(/^Live 2/);
  expect((await namesShown()).toSorted()).toEqual(["Star Catcher", "Tiny Golf"]);
  await choose(/^Needs attention 1/);
  await games().getByText("Suspended").waitFor();
  await choose(/^Previews 1/);
  await games().getByText("1 preview").waitFor();
  await choose(/^Not live 37/);
  await v.page.getByRole("combobox", { name: "Order" }).selectOption("Name");
  expect((await namesShown()).slice(0, 2)).toEqual(["Lost Castle", "Lost Catcher"]);

  // The search, to which / goes; nothing found says so.
  await v.page.keyboard.press("/");
  await v.page.keyboard.type("kart tiny");
  expect(await namesShown()).toEqual(["Tiny Kart"]);
  await keepLooks(v.page, "walk-producer-2-search");
  await search().fill("zebra");
  await v.page.getByText("No project is like that.").waitFor();
  await search().fill("");

  // Back shows the same list at the same place, at once.
  const far = games().getByRole("link", { name: "Tiny Train", exact: true });
  await far.scrollIntoViewIfNeeded();
  const top = await v.page.evaluate("scrollY");
  expect(top).toBeGreaterThan(300);
  await far.click();
  await v.page.getByRole("heading", { name: "Tiny Train", level: 1 }).waitFor();
  await v.page.goBack();
  await games().nth(36).waitFor();
  expect(await v.page.getByRole("combobox", { name: "Order" }).inputValue()).toBe("name");
  await eventually(async () =>
    expect(Math.abs(Number(await v.page.evaluate("scrollY")) - Number(top))).toBeLessThan(2),
  );

  // Another release of a game goes live meanwhile.
  await choose(/^All 40/);
  await publish(v.ada, "star-catcher", { "index.html": "second" });
  await v.page.evaluate("dispatchEvent(new Event('focus'))");
  await v.page.locator(".toast").getByText("Star Catcher has another live release").waitFor();
  await v.button("Close the message").click();

  // From everywhere, by some letters of a name.
  await v.page.getByRole("link", { name: "Account" }).click();
  await v.page.keyboard.press("Control+k");
  const palette = v.page.getByRole("combobox", { name: "Project or page" });
  await palette.fill("midn");
  await v.page.getByRole("option", { name: /^Midnight Golf/ }).waitFor();
  expect(await lookAt(v.page, "command-palette")).toEqual([]);
  await keepLooks(v.page, "walk-producer-3-palette");
  await palette.fill("golf");
  await v.page.getByRole("option", { name: /^Lost Golf/ }).waitFor();
  await palette.press("ArrowDown");
  await palette.press("Enter");
  await v.page.getByRole("heading", { name: "Midnight Golf", level: 1 }).waitFor();
  await v.page.keyboard.press("Control+k");
  await palette.fill("sett");
  await palette.press("Enter");
  await v.page
    .getByRole("heading", { name: "Settings · Midnight Golf", level: 1 })
    .or(v.button("Invite"))
    .first()
    .waitFor();
  expect(v.page.url()).toBe(`${v.service.dashboard}projects/midnight-golf/settings`);
  await v.page.keyboard.press("Control+k");
  await palette.fill("new pro");
  await palette.press("Enter");
  await v.page.getByRole("dialog", { name: "New project" }).waitFor();
}, 240_000);

test("sees a colleague's release appear, rolls it back, and takes that back", async () => {
  const { page } = v;
  const toast = (text: string) => page.locator(".toast").getByText(text).waitFor();
  const live = page.getByRole("region", { name: "Live release" });
  const dialog = page.getByRole("dialog");
  const slug = "comet-courier";
  await v.ada.post("/projects", { slug, name: "Comet Courier" });
  const grace = await actorsOf(v.service).developer({ sub: "grace", name: "Grace Hopper" });
  await addMember(v.ada, slug, grace, "admin");
  const first = await publish(v.ada, slug, { "index.html": "first" });
  const played = async () => String((await play(v.service, slug, { path: "/" })).body);
  await page.clock.install();
  await v.enter(`projects/${slug}`);
  await live.getByText("Release #1").waitFor();

  // After 15 seconds by itself.
  const second = await readyRelease(grace, slug, "second");
  await makeLive(grace, slug, second);
  await page.clock.runFor(15_000);
  await toast("Grace Hopper published Release #2");
  await live.getByText("Release #2").waitFor();
  await page.getByRole("region", { name: "What happened" }).getByText("Grace Hopper published Release #2").waitFor();
  expect(await lookAt(page, "colleague-made-live")).toEqual([]);
  await keepLooks(page, "walk-producer-4-colleague");
  await v.button("Close the message").click();

  await v.button("Roll back to #1").click();
  await page.getByRole("dialog", { name: "Roll back to #1?" }).waitFor();
  await dialog.getByText("1 file changes").waitFor();
  await keepLooks(page, "walk-producer-5-roll-back");
  await dialog.getByRole("button", { name: "Roll back" }).click();
  await toast("Rolled back to #1.");
  expect(await liveRelease(v.ada, slug)).toBe(first);
  expect(await played()).toBe("first");
  await keepLooks(page, "walk-producer-6-undo");
  await v.button("Undo").click();
  await toast("Undone: what was live is live again.");
  await live.getByText("Release #2").waitFor();
  expect(await liveRelease(v.ada, slug)).toBe(second);
  expect(await played()).toBe("second");
}, 240_000);
