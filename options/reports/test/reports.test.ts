import { beforeEach, describe, expect, test } from "@jest/globals";
import { withProject } from "../../../test/support/service/operations.ts";
import { play } from "../../../test/support/service/play.ts";
import { openRelease, publish } from "../../../test/support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useService } from "../../../test/support/service/suite.ts";
import { opening } from "../../../test/support/service/visits.ts";
import { itemsOf, type StoredItem } from "../../../test/support/table/stored.ts";
import type { Crash } from "../contract/crashes.ts";
import { countCrashes } from "../functions/crashes.ts";
import { chromiumAgent, crashReport, nameOf, publishNamed } from "./support/operations.ts";

/*
 * From the header of a page to what is counted of a crash. What of a report counts: options/reports/contract/crashes.test.ts.
 */

const service = useService();
useFunctionEnvironment(service);
const ada = useOwner(service);
let release: string;
beforeEach(async () => {
  release = await publishNamed(ada);
});

const reports = { "content-type": "application/reports+json" };
const send = (path: string, body: unknown = [crashReport], headers: Record<string, string> = reports) =>
  ada.send("POST", path, { headers, body: typeof body === "string" ? body : JSON.stringify(body) });
const pathOf = (name: string, site = ada.slug) => `/.well-known/svc/reports/${site}/${name}`;
const stored = () => itemsOf(service, `CRASHES#${ada.slug}`);
const oom = { reason: "oom", device: "desktop", engine: "chromium" } as const;
/** Counts crashes at a time, in this process. */
const count = (crashes: readonly Crash[], now: Date) => countCrashes({ site: ada.slug, release }, crashes, now);
const totals = async () => (await stored()).map(({ total }: StoredItem) => total);

/** The path that a page of this host tells browsers for crashes. */
async function endpointOf(host: string): Promise<string | undefined> {
  const { headers } = await play(service, host, { path: "/", headers: opening });
  return /^crash-reporting="(?<path>\/[^"]+)"$/.exec(String(headers["reporting-endpoints"]))?.groups?.["path"];
}

describe("a page that a person opens", () => {
  test("tells browsers where to report its crashes: of the live release, on the game's own host", async () => {
    expect(await endpointOf(ada.slug)).toBe(pathOf(release));
    const next = await publishNamed(ada);
    expect(await endpointOf(ada.slug)).toBe(pathOf(next));
  });

  test("tells it of a preview too, by the label of the preview's host", async () => {
    const folder = { "index.html": "preview" };
    const { body } = await openRelease(ada, ada.slug, folder);
    const preview = await ada.post(`/projects/${ada.slug}/releases/${body.release.id}/preview`);
    const [label = ""] = new URL(preview.body.preview.url).hostname.split(".");
    expect(await endpointOf(label)).toBe(pathOf(nameOf(folder), label));
    expect((await send(pathOf(nameOf(folder), label))).status).toBe(204);
    // A preview's plays are not counted, so its crashes stand apart.
    expect(await stored()).toMatchObject([{ release: nameOf(folder), isPreview: true, total: 1 }]);
  });

  test("alone does: no file that it loads, and no page for what is missing", async () => {
    await publish(ada, ada.slug, { "index.html": "1", "a.js": "1" });
    for (const path of ["/a.js", "/none.png", "/.well-known/svc/release"]) {
      const { headers } = await play(service, ada.slug, { path, headers: { "sec-fetch-dest": "script" } });
      expect({ path, header: headers["reporting-endpoints"] }).toEqual({ path, header: undefined });
    }
    const { status, headers } = await play(service, ada.slug, { path: "/none", headers: opening });
    expect([status, headers["reporting-endpoints"]]).toEqual([404, undefined]);
  });
});

describe("a project that does without crash reports", () => {
  const without = (switched_off: readonly string[]) => ada.patch(`/projects/${ada.slug}`, { switched_off });

  test("has pages that tell browsers nothing, also those of previews, and no report is counted", async () => {
    const { body } = await openRelease(ada, ada.slug, { "index.html": "preview" });
    const preview = await ada.post(`/projects/${ada.slug}/releases/${body.release.id}/preview`);
    const [label = ""] = new URL(preview.body.preview.url).hostname.split(".");
    expect(await without(["reports"])).toMatchObject({ status: 200, body: { switched_off: ["reports"] } });
    expect([await endpointOf(ada.slug), await endpointOf(label)]).toEqual([undefined, undefined]);
    for (const path of [pathOf(release), pathOf(nameOf({ "index.html": "preview" }), label)])
      expect(await send(path)).toMatchObject({ status: 404, body: { code: "release_not_found" } });
    expect(await stored()).toEqual([]);
    // What else the game has is as before.
    expect((await play(service, ada.slug, { path: "/", headers: opening })).status).toBe(200);
  });

  test("has them again once it takes that back; another switch does not matter", async () => {
    await without(["reports"]);
    await without(["saves"]);
    expect(await endpointOf(ada.slug)).toBe(pathOf(release));
    expect((await send(pathOf(release))).status).toBe(204);
  });
});

describe("a report of a crash", () => {
  test("is counted by hour, release, reason, device and engine for 92 days, and nothing else is kept", async () => {
    const now = new Date("2026-11-25T13:59:59.999Z");
    const phone = { reason: "other", device: "phone", engine: "chromium" } as const;
    await count([oom, phone, oom], now);
    await count([oom], now);
    await count([oom], new Date("2026-11-25T14:00:00.000Z"));
    const { PK: _, ttl: __, ...next } = (await stored())[1] ?? {};
    expect(await stored()).toEqual([
      {
        ...{ PK: `CRASHES#${ada.slug}`, SK: `HOUR#2026-11-25T13#${release}` },
        ...{ hour: "2026-11-25T13", release, isPreview: false, total: 4 },
        ...{ "oom.desktop.chromium": 3, "other.phone.chromium": 1 },
        ttl: Math.floor(now.getTime() / 1_000) + 92 * 86_400,
      },
      expect.anything(),
    ]);
    expect(next).toMatchObject({ hour: "2026-11-25T14", total: 1, "oom.desktop.chromium": 1 });
  });

  test("that a browser sends is counted in this hour, with its reason, device and engine", async () => {
    const phone = { ...crashReport, user_agent: chromiumAgent.replace("X11", "Android; Mobile"), body: null };
    expect(await send(pathOf(release), [crashReport, phone, { type: "deprecation" }])).toMatchObject({
      status: 204,
      body: undefined,
    });
    const [{ PK: _, SK: __, ttl: ___, hour, ...counts } = {}] = await stored();
    expect(counts).toEqual({
      ...{ release, isPreview: false, total: 2, "oom.desktop.chromium": 1, "other.phone.chromium": 1 },
    });
    expect(Math.abs(Date.parse(`${hour}:30:00Z`) - Date.now())).toBeLessThan(3_600_000);
  });

  test("comes to the game's own host, without what else the browser sends there", async () => {
    const { status } = await play(service, ada.slug, {
      method: "POST",
      path: `${pathOf(release)}?a=1`,
      headers: reports,
    });
    // Without a body it is no list of reports: the API has read it, and not the edge, which refuses the method with 405.
    expect(status).toBe(400);
    expect(await stored()).toEqual([]);
  });

  test("is of a release that can be played there: the live one, or one with which a visit goes on", async () => {
    const next = await publishNamed(ada);
    for (const name of [release, next]) expect((await send(pathOf(name))).status).toBe(204);
    expect(await totals()).toEqual([1, 1]);
  });

  test("of another project's release, or at a host that is not there, is refused, and nothing is stored", async () => {
    const eve = await publishNamed(await withProject(await ada.otherDeveloper()));
    for (const path of [
      pathOf(eve),
      pathOf("a".repeat(43)),
      pathOf(release, "nobodys-game"),
      pathOf(release, `${ada.slug}--${"0".repeat(20)}`),
    ])
      expect(await send(path)).toMatchObject({ status: 404, body: { code: "release_not_found" } });
    expect(await stored()).toEqual([]);
    expect(await itemsOf(service, "CRASHES#nobodys-game")).toEqual([]);
  });

  test("is refused once nobody can play the game", async () => {
    expect((await ada.post(`/projects/${ada.slug}/unpublish`)).status).toBe(200);
    expect(await send(pathOf(release))).toMatchObject({ status: 404, body: { code: "release_not_found" } });
    expect(await stored()).toEqual([]);
  });

  test("in a body that is too large, of another type or no list of reports is refused, and nothing is stored", async () => {
    const refused: [unknown, Record<string, string>, number, string][] = [
      [`[${" ".repeat(16_384 - 1)}]`, reports, 413, "payload_too_large"],
      [[crashReport], { "content-type": "application/json" }, 415, "unsupported_media_type"],
      [[crashReport], { ...reports, "content-encoding": "gzip" }, 415, "unsupported_media_type"],
      ["[", reports, 400, "malformed_json"],
      [{ type: "crash" }, reports, 422, "validation_failed"],
      [Array(21).fill({ type: "crash" }), reports, 422, "validation_failed"],
      [[{ body: null }], reports, 422, "validation_failed"],
    ];
    for (const [body, headers, status, code] of refused)
      expect(await send(pathOf(release), body, headers)).toMatchObject({ status, body: { code } });
    expect(await stored()).toEqual([]);
  });

  test("of 16 KiB is counted", async () => {
    const text = JSON.stringify([crashReport]);
    expect((await send(pathOf(release), text + " ".repeat(16_384 - text.length))).status).toBe(204);
    expect(await totals()).toEqual([1]);
  });

  test("changes nothing above 1,000 of a release in an hour", async () => {
    const now = new Date();
    await count(Array(999).fill(oom), now);
    await count([oom, oom], now);
    expect(await totals()).toEqual([999]);
    await count([oom], now);
    await count([oom], now);
    expect(await totals()).toEqual([1_000]);
  });

  test("of another kind stores nothing", async () => {
    expect((await send(pathOf(release), [{ type: "deprecation", body: { id: "x" } }])).status).toBe(204);
    expect(await stored()).toEqual([]);
  });
});
