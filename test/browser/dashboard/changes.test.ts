import { expect, test } from "@jest/globals";
import { actorsOf } from "../../support/service/actors.ts";
import { liveRelease, makeLive, manifestOf, newSlug, publish, readyRelease } from "../../support/service/steps.ts";
import { until } from "../until.ts";
import { stayOnReload } from "./leaving.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/*
 * Changes by others while a person decides: the decision counts for what the person saw, and nothing is done or lost by accident.
 */

const v = visitor();

/** A project of Ada with releases `One` and `Two`, of which the second is live, and its open page. */
async function openProject() {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  const one = await publish(v.ada, slug, { "index.html": "One" });
  const two = await publish(v.ada, slug, { "index.html": "Two" });
  await v.enter(`projects/${slug}/releases`);
  await v.button(/^Make live Release/).waitFor();
  return { slug, one, two };
}

const dialog = () => v.page.getByRole("dialog");

/** The page goes back over the entry that kept the person here, which would end a reload that has begun. */
const notKeptAnyMore = () => until(v.page, "history.state !== 'kept'");

/** Makes a third release live, as somebody else would. */
async function publishThird(slug: string): Promise<string> {
  const third = await readyRelease(v.ada, slug, "Three");
  await makeLive(v.ada, slug, third);
  return third;
}

test.each([
  ["Take offline", "Take offline"],
  [/^Make live Release/, "Make live"],
])("a release that went live while the dialog of %s was open stays live, and is shown", async (opens, confirms) => {
  const { slug, one } = await openProject();
  await (typeof opens === "string" ? v.choose(opens) : v.button(opens).click());
  await dialog().getByRole("button", { name: confirms }).waitFor();
  const third = await publishThird(slug);
  await dialog().getByRole("button", { name: confirms }).click();
  await v.page.getByText("Another release went live in the meantime.").waitFor();
  expect(await liveRelease(v.ada, slug)).toBe(third);
  // The page has read the third one by then, and the same button acts on that.
  await dialog().getByRole("button", { name: confirms }).click();
  await dialog().waitFor({ state: "detached" });
  expect(await liveRelease(v.ada, slug)).toBe(confirms === "Take offline" ? undefined : one);
});

test("a change that has succeeded does not look like a failure if the page cannot be read anew then", async () => {
  const { slug } = await openProject();
  await v.choose("Take offline");
  await v.page.route(`${v.service.api}/projects?*`, (route) => route.abort());
  await dialog().getByRole("button", { name: "Take offline" }).click();
  await dialog().waitFor({ state: "detached" });
  await v.page.getByText("What this page shows may be of before: The service cannot be reached.").waitFor();
  expect(await liveRelease(v.ada, slug)).toBeUndefined();
});

test.each([
  ["everybody sees where the live release comes from", "Show everybody where", "show_provenance"],
  ["no token changes a project", "Take no tokens", "refuse_tokens"],
])("%s once its owner says so in the project's form", async (_, label, field) => {
  const { slug } = await openProject();
  const box = v.page.getByRole("checkbox", { name: label });
  await v.tab("Settings");
  for (const chosen of [true, false]) {
    await box.waitFor();
    expect(await box.isChecked()).toBe(!chosen);
    await box.setChecked(chosen);
    const saved = v.page.waitForResponse((response) => response.request().method() === "PATCH");
    await v.button("Save").click();
    await saved;
    await v.page.getByText("Saved", { exact: true }).waitFor();
    expect((await v.ada.get(`/projects/${slug}`)).body[field]).toBe(chosen);
  }
});

test("a release shows when it was first published, and when it was made live again", async () => {
  const { slug, one } = await openProject();
  await makeLive(v.ada, slug, one);
  await v.page.reload();
  const row = v.page.getByRole("listitem").filter({ hasText: "made live again" });
  await row.getByText(/^published just now \(.+\) by you, on the dashboard/).waitFor();
  expect(await row.getByText("Live", { exact: true }).count()).toBe(1);
  const times = await row.locator("time").evaluateAll((all) => all.map((one) => one.getAttribute("datetime")));
  const { first_published_at: first, published_at: last } = (await v.ada.get(`/projects/${slug}/releases/${one}`)).body;
  expect(times).toEqual([first, last]);
});

test("a token whose history is longer than what is listed published maybe more", async () => {
  const { id } = await v.ada.token({ name: "busy" });
  await v.page.route(`${v.service.api}/tokens/${id}`, async (route) => {
    const response = await route.fetch();
    const event = { id: "1", type: "release_published", at: new Date().toISOString(), project: "bounce" };
    await route.fulfill({
      response,
      json: { ...(await response.json()), activity: [event], activity_complete: false },
    });
  });
  await v.enter("tokens");
  await v.button("Revoke busy").click();
  await v.page.getByText("1 release of bounce, and maybe more before").waitFor();
});

test("a new token is not lost by Back or by loading the page again", async () => {
  await v.enter("tokens");
  await v.button("New token").click();
  await v.page.getByRole("textbox", { name: "Name" }).fill("kept");
  await v.button("Create token").click();
  await v.page.getByRole("heading", { name: "Copy your token now" }).waitFor();
  const raw = await dialog().locator("code").first().textContent();
  await v.page.evaluate("history.back()");
  await v.page.getByText("You would lose the token.").waitFor();
  expect(await dialog().locator("code").first().textContent()).toBe(raw);
  const asked = await stayOnReload(v.page);
  expect(asked).toEqual(["beforeunload"]);
  await v.page.keyboard.press("Escape");
  await v.button("I have copied it").click();
  await dialog().waitFor({ state: "detached" });
  await notKeptAnyMore();
  // From then on nothing is in the way.
  await v.page.reload();
  await v.page.getByRole("heading", { name: "kept" }).waitFor();
  expect(asked).toHaveLength(1);
});

test("a new token that was copied is left without a question, and needs no scrolling at 1280 × 800", async () => {
  await v.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await v.page.setViewportSize({ width: 1_280, height: 800 });
  await v.enter("tokens");
  await v.button("New token").click();
  await v.page.getByRole("textbox", { name: "Name" }).fill("copied");
  await v.button("Create token").click();
  await v.page.getByRole("heading", { name: "Copy your token now" }).waitFor();
  const hidden = "(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('dialog'))";
  expect(await v.page.evaluate(hidden)).toBe(0);
  expect(await lookAt(v.page, "new-token")).toEqual([]);
  await dialog().getByText("In CI").click();
  await dialog().getByText("SVC_TOKEN").waitFor();
  expect(await v.page.evaluate(hidden)).toBe(0);
  await v.button("Copy the token").click();
  await v.button("Copied the token").waitFor();
  await notKeptAnyMore();
  let questions = 0;
  v.page.on("dialog", (question) => {
    questions += 1;
    void question.accept();
  });
  await v.page.reload();
  await v.page.getByRole("heading", { name: "copied" }).waitFor();
  expect(questions).toBe(0);
});

test("a release without a message is named by its number or its commit, and its ID is copied from its menu", async () => {
  await v.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { slug, two } = await openProject();
  const source = { commit: "0123456789abcdef0123456789abcdef01234567", run_url: "https://ci.example/1" };
  await v.ada.post(`/projects/${slug}/releases`, { files: manifestOf({ "index.html": "Three" }), source });
  await v.page.reload();
  const row = v.page.locator(`#row-${two}`);
  expect(await row.getByRole("heading").textContent()).toBe("Release #2");
  await row.getByText(/^published just now \(\w+ \d+, 20\d\d, \d+:\d\d\s[AP]M\) by you/).waitFor();
  const built = v.page.getByRole("listitem").filter({ has: v.page.getByRole("link", { name: "CI job" }) });
  expect((await built.locator(".row-main").textContent())?.split("0123456")).toHaveLength(2);
  await row.getByRole("button", { name: "More for Release #2" }).click();
  await v.button("Copy ID Release #2").click();
  await until(v.page, "navigator.clipboard.readText()", two);
});

test("a machine is not approved by two clicks in a row", async () => {
  const form = new URLSearchParams({ client_id: "svc-cli", token_name: "pi" });
  const response = await fetch(`${v.service.api}/oauth/device_authorization`, { method: "POST", body: form });
  const { user_code: code } = (await response.json()) as { user_code: string };
  const sent: string[] = [];
  v.page.on("request", (request) => {
    if (request.method() === "POST" && request.url().includes("/oauth/device/")) sent.push(request.url());
  });
  await v.enter(`device?user_code=${code}`);
  await v.page.getByLabel("Code").waitFor();
  await v.page.clock.install();
  await v.page.clock.pauseAt(Date.now() + 60_000);
  await v.button("Continue").click();
  const approve = v.button("Approve");
  await approve.waitFor();
  const clickAtOnce = async () => {
    expect(await approve.getAttribute("aria-disabled")).toBe("true");
    await approve.evaluate((button) => (button as unknown as { click(): void }).click());
    expect(sent).toEqual([]);
  };
  await clickAtOnce();
  await v.page.clock.runFor(900);
  // A window that comes to the front again begins anew.
  await v.page.evaluate("dispatchEvent(new Event('focus'))");
  await v.page.clock.runFor(900);
  await clickAtOnce();
  await v.page.clock.runFor(200);
  await v.page.clock.resume();
  await approve.click();
  await v.page.getByText("The device is signed in").waitFor();
  expect(sent).toHaveLength(1);
});

test("the machine that is approved is the one that is shown, if another code is typed while it is looked up", async () => {
  const request = async (name: string) => {
    const body = new URLSearchParams({ client_id: "svc-cli", token_name: name });
    const response = await fetch(`${v.service.api}/oauth/device_authorization`, { method: "POST", body });
    return ((await response.json()) as { user_code: string }).user_code;
  };
  const [first, second] = [await request("first pi"), await request("second pi")];
  await v.enter(`device?user_code=${first}`);
  const typed = Promise.withResolvers<void>();
  await v.page.route("**/oauth/device/*", async (route) => {
    await typed.promise;
    await route.continue();
  });
  await v.button("Continue").click();
  await v.page.getByLabel("Code").fill(second);
  typed.resolve();
  await v.page.getByText(`first pi, which shows ${first}, asks for a token.`).waitFor();
  const sent = v.page.waitForRequest((asked) => asked.method() === "POST" && asked.url().includes("/oauth/device/"));
  await v.button("Approve").click();
  expect((await sent).url()).toContain(first);
  await v.page.getByText("The device is signed in").waitFor();
});

test("an address follows from the name while it is typed, with its URL, and a project is not offered to oneself", async () => {
  await v.enter();
  await v.button("New project").click();
  await v.page.getByRole("textbox", { name: "Name" }).fill("  Éclair & Ball II! ");
  expect(await v.page.getByRole("textbox", { name: "Address" }).inputValue()).toBe("eclair-ball-ii");
  await v.page.getByText(/^http:\/\/eclair-ball-ii\.localhost:\d+\/$/).waitFor();
  await v.page.getByRole("textbox", { name: "Address" }).fill("my Own");
  await v.page.getByRole("textbox", { name: "Name" }).fill("Éclair");
  expect(await v.page.getByRole("textbox", { name: "Address" }).inputValue()).toBe("my-own");
  expect(await lookAt(v.page, "new-project")).toEqual([]);
  await v.button("Create project").click();
  await v.page.getByRole("heading", { name: "Éclair", level: 1 }).waitFor();
  await v.tab("Settings");

  await v.button("Hand over").click();
  const field = v.page.getByLabel("Their user ID");
  await field.fill(v.ada.uid);
  await v.button("Continue").click();
  await v.page.getByText("This is your own user ID.").waitFor();
  expect(await field.getAttribute("aria-invalid")).toBe("true");
  // A screen reader says them with the field.
  const described = await field.evaluate((element) =>
    element
      .getAttribute("aria-describedby")
      ?.split(" ")
      .map((id: string) => element.ownerDocument.getElementById(id)?.textContent),
  );
  expect(described?.at(-1)).toBe("This is your own user ID. Ask the other person for theirs.");
  expect(described).toHaveLength(2);
});

test("a project that was deleted says so, and can be restored where it is missed", async () => {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Missed" });
  await v.ada.delete(`/projects/${slug}`);
  await v.enter(`projects/${slug}`);
  await v.page.getByText("You have deleted this project.").waitFor();
  expect(await lookAt(v.page, "project-deleted")).toEqual([]);
  await v.button("Restore Missed").click();
  await v.page.getByRole("region", { name: "Publish" }).waitFor();
  expect((await actorsOf(v.service).anonymous.get(`/projects/${slug}`)).status).toBe(200);
});

test("a token can do what was chosen, for as many days as were written, without which there is none", async () => {
  await v.enter("tokens");
  await v.button("New token").click();
  await v.page.getByRole("textbox", { name: "Name" }).fill("twelve days");
  await v.page.getByRole("radio", { name: "Open previews" }).check();
  await v.page.getByRole("radio", { name: "Other" }).check();
  await v.button("Create token").click();
  expect(await v.page.evaluate("document.activeElement.validity.valueMissing")).toBe(true);
  await v.page.getByRole("textbox", { name: "Days" }).fill("366");
  await v.button("Create token").click();
  await dialog().locator(".field-error").waitFor();
  await v.page.getByRole("textbox", { name: "Days" }).fill("12");
  await v.button("Create token").click();
  await v.page.getByRole("heading", { name: "Copy your token now" }).waitFor();
  const tokens: { name: string; scopes: string[]; created_at: string; expires_at: string }[] = (
    await v.ada.get("/tokens")
  ).body.tokens;
  const { scopes, created_at: created, expires_at: expires } = tokens.find(({ name }) => name === "twelve days") ?? {};
  expect(scopes).toEqual(["preview"]);
  expect(Date.parse(expires ?? "") - Date.parse(created ?? "")).toBe(12 * 86_400_000);
});

test("what happened names the tokens, those of its next pages too", async () => {
  await v.ada.token({ name: "named first" });
  await v.ada.token({ name: "named second" });
  for (const list of ["me/events", "tokens"])
    await v.page.route(`${v.service.api}/${list}*`, (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set("limit", "1");
      return route.continue({ url: url.href });
    });
  await v.enter("account");
  await v.page.getByText("token named second").waitFor();
  await v.button("Show more").click();
  await v.page.getByText("token named first").waitFor();
  expect(await v.page.getByText("token named second").count()).toBe(1);
});

test("what happened names the tokens, and the person's own picture is shown", async () => {
  await v.ada.token({ name: "named laptop" });
  const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';
  await v.page.route("https://pictures.example/**", (route) =>
    route.fulfill({ contentType: "image/svg+xml", body: picture }),
  );
  await v.ada.patch("/me", { avatar: "https://pictures.example/ada.svg" });
  await v.enter("account");
  await v.page.getByText("token named laptop").first().waitFor();
  const widths = "[...document.querySelectorAll('img.avatar')].map(({ naturalWidth }) => naturalWidth)";
  await until(v.page, widths, [8, 8]);
  expect(await lookAt(v.page, "account-picture")).toEqual([]);
  // A picture that cannot be loaded leaves the letters.
  await v.ada.patch("/me", { avatar: "https://nothing.invalid/ada.svg" });
  await v.page.reload();
  await v.page.getByText("AL", { exact: true }).nth(1).waitFor();
  expect(await v.page.locator("img.avatar").count()).toBe(0);
  await v.ada.patch("/me", { avatar: null });
});
