import { expect, test } from "@jest/globals";
import { eventually } from "../../support/eventually.ts";
import { liveRelease, newSlug } from "../../support/service/steps.ts";
import { drop } from "./drop.ts";
import { folders } from "./folders.ts";
import { stayOnReload } from "./leaving.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/* An upload is outside the views: it goes on while the person looks at something else, and when the network is lost. */

const v = visitor();
const games = folders();
const bar = () => v.page.getByRole("region", { name: "Publish Bounce" });

async function dropGame(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await v.enter(`projects/${slug}`);
  await drop(v.page, games.write(slug, { "index.html": `Of ${slug}`, ...files }));
  await v.button("Publish").waitFor();
  return slug;
}

/** Lets no upload through until the promise that is returned is called. */
async function holdUploads(): Promise<() => Promise<void>> {
  const held: (() => Promise<void>)[] = [];
  let isOpen = false;
  await v.page.route(`${v.service.s3Endpoint}/**`, (route) => {
    if (isOpen || route.request().method() !== "PUT") return route.continue();
    held.push(() => route.continue());
    return undefined;
  });
  return async () => {
    isOpen = true;
    await Promise.all(held.map((go) => go()));
  };
}

test("an upload goes on as a bar while the person looks at other pages, and is shared from there", async () => {
  const slug = await dropGame();
  const go = await holdUploads();
  await v.button("Publish").click();
  await v.button("Go on in the background").click();
  await bar().getByText("Uploading…").waitFor();
  await v.page.getByRole("link", { name: "Tokens" }).click();
  await v.page.getByRole("heading", { name: "Tokens", level: 1 }).waitFor();
  await bar().getByText("Uploading…").waitFor();
  expect(await lookAt(v.page, "upload-bar")).toEqual([]);
  await go();
  await bar().getByText("It is live.").waitFor();
  expect(await liveRelease(v.ada, slug)).toEqual(expect.any(String));
  await bar().getByRole("button", { name: "Share" }).click();
  await v.page.getByRole("img", { name: "QR code of the URL" }).waitFor();
  await v.button("Close").click();
  await v.page.getByRole("dialog").waitFor({ state: "detached" });
  await bar().waitFor({ state: "detached" });
}, 300_000);

test("the browser asks before it leaves the page during an upload, and not after it", async () => {
  await dropGame();
  const go = await holdUploads();
  await v.button("Publish").click();
  await v.button("Go on in the background").waitFor();
  const asked = await stayOnReload(v.page);
  expect(asked).toEqual(["beforeunload"]);
  await go();
  await v.page.getByText("It is live.").waitFor();
  await v.page.reload();
  await v.page.getByRole("region", { name: "Live release" }).waitFor();
  expect(asked).toHaveLength(1);
});

test.each([
  ["while it uploads", "Uploading…"],
  ["before it is published", "It is ready to be published."],
])("Back makes a bar of it %s, and loses nothing", async (_, state) => {
  const slug = await dropGame();
  const go = await holdUploads();
  await v.page.evaluate('history.pushState(null, "", location.href)');
  if (state === "Uploading…") await v.button("Publish").click();
  await v.page.goBack();
  await bar().getByText(state).waitFor();
  await go();
  if (state !== "Uploading…") {
    await v.button("Look and publish").click();
    await v.button("Publish").click();
    await v.page.getByText("It is live.").waitFor();
  } else {
    await bar().getByText("It is live.").waitFor();
    // The next one can be chosen while it still says so.
    await v.button("Choose a folder").waitFor();
  }
  expect(await liveRelease(v.ada, slug)).toEqual(expect.any(String));
  await v.page.getByRole("region", { name: "Live release" }).waitFor();
});

test("if the page cannot be read again after a publication, it says that it may show what was before", async () => {
  await dropGame();
  await v.page.route(`${v.service.api}/projects?*`, (route) => route.abort());
  await v.button("Publish").click();
  await v.page.getByText(/^What this page shows may be of before: /).waitFor();
}, 300_000);

/** The effect of a drag over the page, and whether the page shows it, also after the drag has left. */
async function draggedOver(type: string): Promise<unknown> {
  return await v.page.evaluate(`(async () => {
    const dataTransfer = { types: ["${type}"], dropEffect: "as it was" };
    const drag = async (name) => {
      const event = new DragEvent(name, { cancelable: true });
      Object.defineProperty(event, "dataTransfer", { value: dataTransfer });
      dispatchEvent(event);
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { isTaken: event.defaultPrevented, isShown: document.querySelector(".drop-veil") !== null };
    };
    const over = await drag("dragover");
    return { ...over, effect: dataTransfer.dropEffect, isShownAfter: (await drag("dragleave")).isShown };
  })()`);
}

test("another drop is refused while one is published, and an upload is cancelled from its bar", async () => {
  const slug = await dropGame();
  await holdUploads();
  await v.button("Publish").click();
  await v.page.keyboard.press("Escape");
  await v.page.getByText("What you chose last is being published.").waitFor();
  expect(await v.button("Choose a folder").count()).toBe(0);
  const refused = { isTaken: true, isShown: false, effect: "none", isShownAfter: false };
  expect(await draggedOver("Files")).toEqual(refused);
  await bar().getByRole("button", { name: "Cancel" }).click();
  await v.button("Choose a folder").waitFor();
  await eventually(async () =>
    expect(await draggedOver("Files")).toEqual({ ...refused, isShown: true, effect: "copy" }),
  );
  expect(await draggedOver("text/plain")).toEqual({ ...refused, isTaken: false, effect: "as it was" });
  await bar().waitFor({ state: "detached" });
  expect(await liveRelease(v.ada, slug)).toBeUndefined();
});

test("the request that opens the release is sent again if the service has trouble or the response is lost", async () => {
  const slug = await dropGame();
  let count = 0;
  await v.page.route(/\/releases$/, async (route) => {
    if (route.request().method() !== "POST") return await route.continue();
    count += 1;
    if (count === 1) return await route.fulfill({ status: 503, headers: { "access-control-allow-origin": "*" } });
    if (count > 2) return await route.continue();
    await route.fetch();
    return await route.abort();
  });
  await v.button("Publish").click();
  await v.page.getByText("It is live.").waitFor();
  expect(count).toBe(3);
  expect(await liveRelease(v.ada, slug)).toEqual(expect.any(String));
  const { body } = await v.ada.get(`/projects/${slug}/releases`);
  expect(body.releases).toHaveLength(1);
});
