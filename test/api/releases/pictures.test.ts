import { describe, expect, test } from "@jest/globals";
import { suspendProject } from "../../../functions/domain/accounts/suspensions.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { gameUrl } from "../../support/service/play.ts";
import { makeLive, manifestOf, openRelease } from "../../support/service/steps.ts";
import { useFunctionEnvironment, useService, useSharedOwner } from "../../support/service/suite.ts";
import { storedProject } from "../../support/table/stored-project.ts";

const service = useService();
useFunctionEnvironment(service);
const ada = useSharedOwner(service);

const folder = { "index.html": "<h1>", "art/the cover #1.png": "PNG" };
const picture = "art/the cover #1.png";

/** Opens a release with a picture and uploads it. */
async function openPictured(files: Record<string, string> = folder): Promise<string> {
  const { body } = await openRelease(ada, ada.slug, files);
  const { status } = await ada.post(`/projects/${ada.slug}/releases`, { files: manifestOf(files), picture });
  expect(status).toBe(200);
  return body.release.id;
}

const ofRelease = async (id: string) => (await ada.get(`/projects/${ada.slug}/releases/${id}`)).body.picture_url;
const ofProject = async () => (await actorsOf(service).anonymous.get(`/projects/${ada.slug}`)).body.picture_url;
const listed = async (state = "active") =>
  (await ada.get(`/projects?state=${state}`)).body.projects.find(({ slug }: { slug: string }) => slug === ada.slug)
    .picture_url;

test("the picture of the live release is a file of the game's own host, which everybody sees", async () => {
  const release = await openPictured();
  expect([await ofRelease(release), await ofProject()]).toEqual([null, null]);
  await makeLive(ada, ada.slug, release);
  const url = `${gameUrl(service, ada.slug)}art/the%20cover%20%231.png`;
  expect([await ofRelease(release), await ofProject(), await listed()]).toEqual([url, url, url]);
  const { items } = await storedProject(service, ada.slug);
  expect(items[`RELEASE#${release}`]).toMatchObject({ picture });
});

test("a project shows the picture of what is live: another release's, or none", async () => {
  const first = await openPictured();
  await makeLive(ada, ada.slug, first);
  const { body } = await openRelease(ada, ada.slug, { "index.html": "no picture" });
  await makeLive(ada, ada.slug, body.release.id);
  expect([await ofProject(), await ofRelease(first)]).toEqual([null, null]);
  await makeLive(ada, ada.slug, first);
  expect(await ofProject()).toEqual(expect.stringContaining("/art/"));
  await ada.post(`/projects/${ada.slug}/unpublish`);
  expect([await ofProject(), await ofRelease(first)]).toEqual([null, null]);
});

test("a project that nobody can play shows none, also to its owner", async () => {
  const release = await openPictured();
  await makeLive(ada, ada.slug, release);
  await suspendProject(ada.slug, "malware", new Date());
  expect([await listed(), await ofRelease(release)]).toEqual([null, null]);
});

test("a deleted project shows none", async () => {
  await makeLive(ada, ada.slug, await openPictured());
  await ada.delete(`/projects/${ada.slug}`);
  expect(await listed("deleted")).toBeNull();
});

describe("the picture that is chosen in Settings", () => {
  const choose = async (path: string | null) => await ada.patch(`/projects/${ada.slug}`, { picture: path });
  const images = { "index.html": "<h1>", "cover.png": "1", "art/boss.png": "22", "game.js": "333" };
  const goLive = async (files: Record<string, string>, named?: string) => {
    const { body } = await openRelease(ada, ada.slug, files);
    if (named) await ada.post(`/projects/${ada.slug}/releases`, { files: manifestOf(files), picture: named });
    expect((await makeLive(ada, ada.slug, body.release.id)).status).toBe(200);
    return body.release.id as string;
  };
  const shown = async () => (await ofProject())?.replace(gameUrl(service, ada.slug), "");

  test("is one of the live release's images, which are listed with the fittest first", async () => {
    const release = await goLive(images, "cover.png");
    const { body } = await ada.get(`/projects/${ada.slug}/releases/${release}/changes`);
    expect(body.pictures).toEqual(["cover.png", "art/boss.png"]);
    expect((await choose("art/boss.png")).body).toMatchObject({ picture: "art/boss.png" });
    expect([await shown(), await ofRelease(release)]).toEqual(["art/boss.png", expect.stringContaining("boss")]);
    expect((await choose(null)).body).toMatchObject({ picture: null });
    expect(await shown()).toBe("cover.png");
  });

  test.each([
    ["a file that it lacks", "none.png", "one of the files"],
    ["no image", "game.js", "name of an image"],
  ])("is not %s", async (_, path, detail) => {
    await goLive(images);
    const { status, body } = await choose(path);
    expect(status).toBe(422);
    expect(body).toMatchObject({
      code: "validation_failed",
      errors: [{ pointer: "/picture", detail: expect.stringContaining(detail) }],
    });
    expect(await shown()).toBe("cover.png");
  });

  test("the other pictures of the page are images of the live release too, each of them", async () => {
    const chooseAll = (pictures: readonly string[]) => ada.patch(`/projects/${ada.slug}`, { pictures });
    expect((await chooseAll(["cover.png"])).status).toBe(422);
    await goLive(images);
    expect((await chooseAll(["art/boss.png", "none.png", "game.js"])).body.errors).toEqual([
      { pointer: "/pictures/1", detail: expect.stringContaining("one of the files of the live release") },
      { pointer: "/pictures/2", detail: expect.stringContaining("name of an image of the live release") },
    ]);
    expect((await chooseAll(["art/boss.png", "cover.png"])).body.pictures).toEqual(["art/boss.png", "cover.png"]);
  });

  test("is none while nothing is live", async () => {
    expect((await choose("cover.png")).status).toBe(422);
  });

  test("stays for later releases that have it, whatever they name, until one is chosen in a review", async () => {
    await goLive(images, "cover.png");
    await choose("art/boss.png");
    await goLive({ ...images, "game.js": "4" }, "cover.png");
    expect(await shown()).toBe("art/boss.png");
    const files = { ...images, "game.js": "55" };
    const { body } = await openRelease(ada, ada.slug, files);
    const choices = { picture: true };
    await ada.post(`/projects/${ada.slug}/releases`, { files: manifestOf(files), picture: "cover.png", choices });
    await makeLive(ada, ada.slug, body.release.id);
    expect(await shown()).toBe("cover.png");
    // Chosen once more, so the next publication does not begin with that of the review.
    await choose("art/boss.png");
    const { body: changes } = await ada.get(`/projects/${ada.slug}/releases/${body.release.id}/changes`);
    expect(changes.decided.choices.picture).toBeNull();
  });

  test("gives way, in a release without it, to what that names, or names recommend", async () => {
    await goLive(images, "cover.png");
    await choose("art/boss.png");
    await goLive({ "index.html": "<p>", "title.png": "1", "splash.png": "1" }, "title.png");
    expect(await shown()).toBe("title.png");
    await goLive({ "index.html": "<p>2", "splash.png": "1" });
    expect(await shown()).toBe("splash.png");
  });

  test("a roll-back to a release that names none keeps the picture if that has it, and finds another one if not", async () => {
    const first = await goLive({ "index.html": "<p>", "art/boss.png": "1", "a/splash.png": "1" });
    expect(await shown()).toBe("a/splash.png");
    const second = await goLive({ "index.html": "<p>2", "art/boss.png": "1" }, "art/boss.png");
    await makeLive(ada, ada.slug, first);
    expect(await shown()).toBe("art/boss.png");
    await makeLive(ada, ada.slug, second);
    await goLive({ "index.html": "<p>3", "new.png": "1" }, "new.png");
    await makeLive(ada, ada.slug, first);
    expect(await shown()).toBe("a/splash.png");
  });
});
