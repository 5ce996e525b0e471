import { describe, expect, test } from "@jest/globals";
import { defaultSettings } from "../../../contract/api/releases/release-settings.ts";
import { keys } from "../../../functions/table/keys.ts";
import type { Actor } from "../../support/service/actors.ts";
import { makeLive, manifestOf, openRelease } from "../../support/service/steps.ts";
import { useService, useSharedOwner } from "../../support/service/suite.ts";
import { removeAttributes } from "../../support/table/stored.ts";

/*
 * Settings and choices with which the next publication begins: those that a person decided, and nothing that a token planted.
 */
const service = useService();
const ada = useSharedOwner(service);

const nobody = { left_out: [], index: null, picture: null, isolation_off: false };
const decidedOf = async (id: string, by: Actor = ada) =>
  (await by.get(`/projects/${ada.slug}/releases/${id}/changes`)).body.decided;

/** A page with these settings and choices, which is live then. */
async function live(by: Actor, page: string, settings: object = {}, choices: object = {}): Promise<string> {
  const folder = { "index.html": page };
  const id = (await openRelease(by, ada.slug, folder, undefined, settings)).body.release.id;
  await by.post(`/projects/${ada.slug}/releases`, { files: manifestOf(folder), settings, choices });
  expect(await makeLive(by, ada.slug, id)).toMatchObject({ status: 200 });
  return id;
}

const planted = {
  settings: { frame: ["https://evil.example"], immutable: ["**"] },
  choices: { left_out: ["credits.html"] },
};

describe("what a project's next publication begins with", () => {
  test("is what a person had decided, whatever a token set meanwhile, and after it was revoked", async () => {
    const choices = { left_out: ["notes/"], index: "My Story.html", isolation_off: true };
    const own = await live(ada, "1", { spa: true }, choices);
    const decided = { settings: { ...defaultSettings, spa: true }, choices: { ...nobody, ...choices } };
    expect(await decidedOf(own)).toEqual(decided);
    const token = await ada.token();
    const stolen = await live(token, "2", planted.settings, planted.choices);
    expect((await ada.get(`/projects/${ada.slug}/releases/${stolen}/changes`)).body).toMatchObject({
      settings: planted.settings,
      choices: planted.choices,
      decided,
    });
    await token.delete("/tokens/current");
    const again = await ada.token();
    expect(await decidedOf(await live(again, "3"))).toEqual(decided);
    await ada.post(`/projects/${ada.slug}/unpublish`);
    expect(await decidedOf(stolen)).toEqual(decided);
  });

  test("is nothing of a project that only tokens published", async () => {
    const token = await ada.token();
    for (const page of ["1", "2"])
      expect(await decidedOf(await live(token, page, planted.settings, planted.choices))).toEqual({
        settings: defaultSettings,
        choices: nobody,
      });
  });

  test.each([
    ["opens and", ada],
    ["makes one live that a token opened, and so", undefined],
  ])("is of the release that a person last %s made live", async (_, opener) => {
    await live(ada, "1", { spa: true });
    const by = opener ?? (await ada.token());
    const { body } = await openRelease(by, ada.slug, { "index.html": "2" }, undefined, { frame: "nobody" });
    await makeLive(ada, ada.slug, body.release.id);
    expect(await decidedOf(body.release.id)).toEqual({
      settings: { ...defaultSettings, frame: "nobody" },
      choices: nobody,
    });
  });

  test("is one setting more if a person changes one setting of a token's live release, whatever the token set beside it", async () => {
    await live(ada, "1", { spa: true }, { left_out: ["notes/"] });
    const token = await ada.token();
    const stolen = await live(token, "2", planted.settings, { left_out: ["credits.html"], picture: true });
    const settings = { ...planted.settings, updates: "whole" };
    const { body } = await ada.post(`/projects/${ada.slug}/releases`, { files_of: stolen, settings });
    await makeLive(ada, ada.slug, body.release.id);
    expect(await decidedOf(body.release.id)).toEqual({
      settings: { ...defaultSettings, spa: true, updates: "whole" },
      choices: { ...nobody, left_out: ["notes/"] },
    });
  });

  test("is what an earlier release had, if a person makes that one live again, and not if a token does", async () => {
    const [first, second] = [await live(ada, "1", { spa: true }), await live(ada, "2", { frame: "nobody" })];
    await makeLive(await ada.token(), ada.slug, first);
    expect((await decidedOf(first)).settings).toMatchObject({ spa: false, frame: "nobody" });
    await makeLive(ada, ada.slug, second);
    await makeLive(ada, ada.slug, first);
    expect((await decidedOf(first)).settings).toMatchObject({ spa: true, frame: "everybody" });
  });

  test("has a chosen picture as long as the release that it is compared with has it", async () => {
    const folder = { "index.html": "1", "cover.png": "chosen" };
    const { body } = await openRelease(ada, ada.slug, folder);
    const choices = { picture: true };
    await ada.post(`/projects/${ada.slug}/releases`, { files: manifestOf(folder), picture: "cover.png", choices });
    await makeLive(ada, ada.slug, body.release.id);
    const [, picture] = manifestOf(folder);
    expect((await decidedOf(body.release.id)).choices).toEqual({ ...nobody, picture });
    const without = await live(await ada.token(), "2");
    expect((await decidedOf(without)).choices).toEqual(nobody);
    expect((await decidedOf(body.release.id)).choices).toEqual({ ...nobody, picture });
  });

  test("of a project of before is what its live release had, until a person decides, whatever a token publishes", async () => {
    await live(ada, "1", { spa: true }, { left_out: ["notes/"] });
    // As the functions of before left it.
    await removeAttributes(service, keys.project(ada.slug), "decided");
    const decided = { settings: { ...defaultSettings, spa: true }, choices: { ...nobody, left_out: ["notes/"] } };
    const token = await ada.token();
    for (const page of ["2", "3"])
      expect(await decidedOf(await live(token, page, planted.settings, planted.choices))).toEqual(decided);
    await removeAttributes(service, keys.project(ada.slug), "decided");
    await ada.post(`/projects/${ada.slug}/unpublish`);
    const offline = await live(await ada.token(), "4");
    expect((await decidedOf(offline)).settings).toMatchObject(planted.settings);
  });

  test("tells who may only open previews the choices of the live release alone", async () => {
    const id = await live(ada, "1", {}, { left_out: ["notes/"] });
    const previewer = await ada.token({ scopes: ["preview"] });
    const own = (await openRelease(previewer, ada.slug, { "index.html": "2" })).body.release.id;
    expect((await decidedOf(id, previewer)).choices.left_out).toEqual(["notes/"]);
    expect((await decidedOf(own, previewer)).choices).toEqual(nobody);
  });
});
