import { expect, test } from "@jest/globals";
import { liveRelease, makeLive, newProject, publish, readyRelease } from "../../support/service/steps.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

const v = visitor();

test("a person sees what a token has published, signs in again, and makes it live", async () => {
  const { page, service, ada } = v;
  const slug = await newProject(ada);
  const live = await publish(ada, slug, { "index.html": "1" });
  await v.enter(`projects/${slug}/settings`);
  await page.getByRole("checkbox", { name: "A person makes live" }).check();
  await page.getByRole("button", { name: "Save" }).first().click();
  await page.getByText("Saved").first().waitFor();
  const token = await ada.token();
  const id = await readyRelease(token, slug, "2");
  expect((await makeLive(token, slug, id)).status).toBe(202);

  // For the service, the page's sign-in was 16 minutes ago until the person signs in again.
  const old = `Bearer ${await service.idToken({ sub: ada.uid, auth_time: Math.floor(Date.now() / 1_000) - 16 * 60 })}`;
  let first: string | undefined;
  await page.route(`${service.api}/projects/${slug}/releases/${id}/publish`, async (route) => {
    const headers = route.request().headers();
    first ??= headers["authorization"];
    const isFirst = headers["authorization"] === first && route.request().method() === "POST";
    return await route.continue(isFirst ? { headers: { ...headers, authorization: old } } : {});
  });
  await page.goto(`${service.dashboard}projects/${slug}`);
  const waiting = page.getByRole("region", { name: "Waiting for you" });
  await waiting.getByText("Waiting", { exact: true }).waitFor();
  expect(await lookAt(page, "person-makes-live")).toEqual([]);
  await waiting.getByRole("button", { name: /^Make live/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Make live" }).click();
  await page.getByRole("heading", { name: "Is it still you?" }).waitFor();
  expect(await lookAt(page, "recent-sign-in")).toEqual([]);
  expect(await liveRelease(ada, slug)).toBe(live);
  const signInAgain = async () => {
    const opening = page.waitForEvent("popup");
    await page.getByRole("button", { name: "Sign in again" }).click();
    return await opening;
  };
  // A window that is closed is no end: the button opens another one. One that is closed while it opens can keep Chromium from opening that.
  const closed = await signInAgain();
  await closed.getByRole("button", { name: /Ada Lovelace/ }).waitFor();
  await closed.close();
  const popup = await signInAgain();
  await popup.waitForURL(/max_age=900/);
  await popup.getByRole("button", { name: /Ada Lovelace/ }).click();
  await waiting.waitFor({ state: "detached" });
  expect(await liveRelease(ada, slug)).toBe(id);
});
