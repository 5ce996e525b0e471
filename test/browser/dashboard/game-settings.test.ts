import { expect, test } from "@jest/globals";
import { play } from "../../support/service/play.ts";
import { liveRelease, newSlug, publish } from "../../support/service/steps.ts";
import { visitor } from "./visitor.ts";

/*
 * Settings → Game: other settings take effect without a folder. That they are taken back with one click is on the way of a teenager.
 */

const v = visitor();
const dialog = () => v.page.getByRole("dialog");
const says = (text: string) => v.page.locator(".toast").getByText(text).waitFor();

test("settings take effect at once, but not over what a colleague has published", async () => {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await publish(v.ada, slug, { "index.html": "<p>one" });
  await v.enter(`projects/${slug}/settings`);

  await v.page.getByRole("checkbox", { name: "Load whole files" }).check();
  await v.button("Review and make live").click();
  const second = await publish(v.ada, slug, { "index.html": "<p>two" });
  await dialog().getByRole("button", { name: "Make live" }).click();
  await dialog().getByText("Another release went live in the meantime.").waitFor();
  expect(await liveRelease(v.ada, slug)).toBe(second);
  await dialog().getByRole("button", { name: "Make live" }).click();
  await says("#3 is live: Load whole files.");
  expect(String((await play(v.service, slug, { path: "/" })).body)).toContain("two");
  await v.tab("Releases");
  await v.page.getByText("#3 Load whole files").first().waitFor();
}, 240_000);
