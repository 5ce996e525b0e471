import { describe, expect, test } from "@jest/globals";
import { releaseName } from "../../../edge/project/pointer.ts";
import { Manifest } from "../../../functions/files/manifests.ts";
import type { GameResponse } from "../../support/service/play.ts";
import { manifestOf, openRelease, publish, sha256 } from "../../support/service/steps.ts";
import { useOwner, useService } from "../../support/service/suite.ts";
import { opening, visitsOf } from "../../support/service/visits.ts";

const service = useService();
const ada = useOwner(service);
const { get, textOf, goLive } = visitsOf(service, ada);

const fetched = { "sec-fetch-dest": "empty", "sec-fetch-site": "same-origin" };

function cookieOf({ headers }: GameResponse): string | undefined {
  return headers["set-cookie"]?.[0]?.split(";")[0];
}

describe("one release for one visit:", () => {
  const first = { "index.html": "page 1", "level.json": "level 1", "only-1.js": "1" };
  const second = { "index.html": "page 2", "level.json": "level 2", "only-2.js": "2" };

  test("a page that loads its second level after a new release went live gets it from its own release; a reload gets the new one", async () => {
    await goLive(first);
    const opened = await get("/", opening);
    expect(opened.body.toString()).toBe("page 1");
    expect(opened.headers["set-cookie"]).toEqual([
      expect.stringMatching(/^__Host-svc-release=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=None; Partitioned$/),
    ]);
    const cookie = `other=1; ${cookieOf(opened)}`;
    await goLive(second);
    expect(await textOf("/level.json", { ...fetched, cookie })).toBe("level 1");
    // A path that its release lacks is looked for in the live one.
    expect(await textOf("/only-2.js", { ...fetched, cookie })).toBe("2");
    expect(await textOf("/only-1.js", { ...fetched, cookie })).toBe("1");
    expect(await textOf("/none.js", { ...fetched, cookie })).toBe("404");

    const reloaded = await get("/", { ...opening, cookie });
    expect(reloaded.body.toString()).toBe("page 2");
    const next = cookieOf(reloaded) ?? "";
    expect(next).not.toBe(cookieOf(opened));
    expect(await textOf("/level.json", { ...fetched, cookie: next })).toBe("level 2");
  });

  test("the same is true for a rollback", async () => {
    const before = await goLive(first);
    await goLive(second);
    const cookie = cookieOf(await get("/", opening)) ?? "";
    await ada.post(`/projects/${ada.slug}/releases/${before}/publish`);
    expect(await textOf("/level.json", { ...fetched, cookie })).toBe("level 2");
    expect(await textOf("/", { ...opening, cookie })).toBe("page 1");
  });

  test("a rollback takes a file off for everybody whose visit did not begin with it", async () => {
    const before = await goLive(first);
    await goLive({ ...second, "secret.txt": "secret" });
    const cookie = cookieOf(await get("/", opening)) ?? "";
    await ada.post(`/projects/${ada.slug}/releases/${before}/publish`);
    const other = cookieOf(await get("/", opening)) ?? "";
    for (const headers of [fetched, { ...fetched, cookie: other }, opening])
      expect(await textOf("/secret.txt", headers)).toBe("404");
    expect(await textOf("/secret.txt", { ...fetched, cookie })).toBe("secret");
  });

  test("a deleted release gives a file to nobody, with or without a visit", async () => {
    const bad = await goLive({ ...first, "secret.txt": "secret" });
    const cookie = cookieOf(await get("/", opening)) ?? "";
    await goLive(second);
    for (const headers of [fetched, { ...fetched, cookie }])
      expect(await textOf("/secret.txt", headers)).toBe("secret");
    await ada.post(`/projects/${ada.slug}/releases/${bad}/withdraw`);
    for (const headers of [fetched, { ...fetched, cookie }, opening])
      expect(await textOf("/secret.txt", headers)).toBe("404");
    expect(await textOf("/level.json", { ...fetched, cookie })).toBe("level 2");
  });

  test("a visit continues with its release while five others go live", async () => {
    await goLive(first);
    const cookie = cookieOf(await get("/", opening)) ?? "";
    for (let number = 2; number <= 6; number += 1) await publish(ada, ada.slug, { ...second, number: String(number) });
    expect(await textOf("/level.json", { ...fetched, cookie })).toBe("level 1");
    await goLive({ ...second, number: "7" });
    expect(await textOf("/level.json", { ...fetched, cookie })).toBe("level 2");
  });

  test("a cookie that names an open release gets nothing of it", async () => {
    await goLive(first);
    const secret = { ...first, "secret.txt": "secret" };
    await openRelease(ada, ada.slug, secret);
    const { digest } = Manifest.of(manifestOf(secret));
    expect(await textOf("/secret.txt", { ...fetched, cookie: `__Host-svc-release=${releaseName(digest)}` })).toBe(
      "404",
    );
  });

  test("a service worker's script moves the visit to the live release, and the page still finds what only its own has", async () => {
    await goLive({ ...first, "sw.js": "sw 1" });
    const cookie = cookieOf(await get("/", opening)) ?? "";
    await goLive({ ...second, "sw.js": "sw 2" });
    const script = await get("/sw.js", { cookie, "service-worker": "script", "sec-fetch-dest": "serviceworker" });
    expect(script.body.toString()).toBe("sw 2");
    const next = cookieOf(script) ?? "";
    expect(await textOf("/level.json", { ...fetched, cookie: next })).toBe("level 2");
    expect(await textOf("/only-1.js", { ...fetched, cookie: next })).toBe("1");
  });

  test("documents and a service worker's script come only from the live release", async () => {
    await goLive({ ...first, "sw.js": "sw 1", "old.html": "old" });
    const cookie = cookieOf(await get("/", opening)) ?? "";
    await goLive({ ...second, "sw.js": "sw 2" });
    expect(await textOf("/sw.js", { ...fetched, cookie })).toBe("sw 1");
    expect(await textOf("/sw.js", { cookie, "service-worker": "script", "sec-fetch-dest": "serviceworker" })).toBe(
      "sw 2",
    );
    expect(await textOf("/old.html", { ...opening, cookie })).toBe("404");
    expect(await textOf("/old.html", { ...fetched, cookie })).toBe("old");
  });

  test("a frame of the game belongs to the visit, one on another site begins it", async () => {
    await goLive(first);
    const cookie = cookieOf(await get("/", opening)) ?? "";
    await goLive(second);
    const frame = { cookie, "sec-fetch-dest": "iframe" };
    expect(await textOf("/index.html", { ...frame, "sec-fetch-site": "same-origin" })).toBe("page 1");
    expect(await textOf("/index.html", { ...frame, "sec-fetch-site": "cross-site" })).toBe("page 2");
  });

  test("without Sec-Fetch headers a document is recognised by Accept", async () => {
    await goLive(first);
    const opened = await get("/", { accept: "text/html,*/*;q=0.8" });
    expect(cookieOf(opened)).toBeDefined();
    expect(cookieOf(await get("/level.json", { accept: "*/*" }))).toBeUndefined();
  });

  test("a browser that has the page gets no bytes, but the release of its visit", async () => {
    await goLive(first);
    const cookie = cookieOf(await get("/", opening)) ?? "";
    await goLive({ ...second, "index.html": "page 1" });
    const again = await get("/", { ...opening, cookie, "if-none-match": `"${sha256("page 1")}"` });
    expect(again.status).toBe(304);
    expect(await textOf("/level.json", { ...fetched, cookie: cookieOf(again) ?? "" })).toBe("level 2");
    expect(cookieOf(await get("/", { ...opening, cookie: cookieOf(again) ?? "" }))).toBeUndefined();
  });

  test.each(["a".repeat(43), "../../other/manifests/x", "a".repeat(64), ""])(
    "a cookie with %j, which is not a release, is ignored",
    async (value) => {
      await goLive(first);
      expect(await textOf("/level.json", { ...fetched, cookie: `__Host-svc-release=${value}` })).toBe("level 1");
    },
  );
});
