import { expect, test } from "@jest/globals";
import { defaultSettings } from "../../../contract/api/releases/release-settings.ts";
import type { Actor } from "../../support/service/actors.ts";
import { play } from "../../support/service/play.ts";
import { liveRelease, makeLive, manifestOf, openRelease, publish } from "../../support/service/steps.ts";
import { useService, useSharedOwner } from "../../support/service/suite.ts";

/*
 * Other settings for the files that are live (`files_of`), without an upload.
 */
const service = useService();
const ada = useSharedOwner(service);

const path = () => `/projects/${ada.slug}/releases`;
const withSettings = (filesOf: string, settings: object, { by = ada, ...more }: { by?: Actor; dry_run?: true } = {}) =>
  by.post(path(), { files_of: filesOf, settings, ...more });

const folder = { "index.html": "<p>game", "cover.png": "picture", "level.json": "{}" };

/** A live release with all that is said of one. */
async function described(): Promise<string> {
  const { body } = await openRelease(ada, ada.slug, folder);
  const source = { commit: "4f2a9c0", run_url: "https://ci.example/1" };
  const said = { message: "Second world", picture: "cover.png", source, choices: { picture: true, left_out: ["a/"] } };
  await ada.post(path(), { files: manifestOf(folder), ...said });
  await makeLive(ada, ada.slug, body.release.id);
  return body.release.id;
}

test("it has the files, picture, source and choices of the live release, nothing to send, and no news of its own", async () => {
  const first = await described();
  const { status, body } = await withSettings(first, { frame: "nobody" });
  expect({ status, ...body }).toMatchObject({
    ...{ status: 201, missing: [], bytes_to_send: 0, changed_settings: ["frame"] },
    ...{ added: { count: 0 }, changed: { count: 0 }, removed: { count: 0 }, unchanged: { count: 3 } },
    release: { files: 3, message: null, changed_settings: ["frame"], source: { commit: "4f2a9c0" } },
  });
  expect(await makeLive(ada, ada.slug, body.release.id)).toMatchObject({ body: { previous_release: first } });
  const game = await play(service, ada.slug, { path: "/" });
  expect(String(game.body)).toBe(folder["index.html"]);
  expect(game.headers["content-security-policy"]).toContain("frame-ancestors 'self'");
  const { picture_url: url } = (await ada.get(`/projects/${ada.slug}`)).body;
  expect(url).toContain("/cover.png");
  const { decided } = (await ada.get(`${path()}/${body.release.id}/changes`)).body;
  expect(decided).toEqual({
    settings: { ...defaultSettings, frame: "nobody" },
    choices: { left_out: ["a/"], index: null, picture: manifestOf(folder)[1], isolation_off: false },
  });
});

test("a roll-back to the release before brings its settings back", async () => {
  const first = await described();
  const { body } = await withSettings(first, { spa: true });
  await makeLive(ada, ada.slug, body.release.id);
  await makeLive(ada, ada.slug, first);
  const missing = await play(service, ada.slug, { path: "/no/page", headers: { accept: "text/html" } });
  expect(missing.status).toBe(404);
});

test("a dry run opens nothing, and the settings that are live are the live release", async () => {
  const first = await described();
  expect((await withSettings(first, { frame: "nobody" }, { dry_run: true })).body).toMatchObject({
    release: null,
    changed_settings: ["frame"],
  });
  expect(await withSettings(first, {})).toMatchObject({ status: 200, body: { release: { id: first } } });
});

test("it is refused of a release that is not live, and once another release went live since", async () => {
  const first = await described();
  const { body } = await withSettings(first, { spa: true });
  const second = await publish(ada, ada.slug, { "index.html": "two" });
  const refused = { status: 412, body: { code: "current_release_changed" } };
  expect(await withSettings(first, { frame: "nobody" })).toMatchObject(refused);
  expect(await withSettings(body.release.id, { frame: "nobody" })).toMatchObject(refused);
  expect(await makeLive(ada, ada.slug, body.release.id, { expect_current: first })).toMatchObject(refused);
  expect(await liveRelease(ada, ada.slug)).toBe(second);
});

test("a token may open it, and then decides nothing for the next publication", async () => {
  const first = await described();
  const token = await ada.token();
  const { body } = await withSettings(first, { frame: ["https://evil.example"] }, { by: token });
  await makeLive(token, ada.slug, body.release.id);
  const { decided } = (await ada.get(`${path()}/${body.release.id}/changes`)).body;
  expect(decided.settings).toEqual(defaultSettings);
});

test.each([
  ["turned off where it was live", { isolation: true }, { isolation: false }, true],
  ["off as before", { spa: true }, { spa: false }, false],
  ["turned on", {}, { isolation: true }, false],
])("isolation that is %s is kept so for the next build with threads", async (_, before, after, isOff) => {
  const { body } = await openRelease(ada, ada.slug, folder, undefined, before);
  await makeLive(ada, ada.slug, body.release.id);
  const next = await withSettings(body.release.id, after);
  await makeLive(ada, ada.slug, next.body.release.id);
  const { decided } = (await ada.get(`${path()}/${next.body.release.id}/changes`)).body;
  expect(decided.choices.isolation_off).toBe(isOff);
});
