import { beforeEach, describe, expect, test } from "@jest/globals";
import { makeLive } from "../../../test/support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useService } from "../../../test/support/service/suite.ts";
import type { Crash } from "../contract/crashes.ts";
import { crash, goLive, hoursAgo, type NamedRelease, play } from "./support/stored-crashes.ts";

/*
 * GET /projects/:slug/crashes. What is counted is in reports.test.ts beside it, when a release is clearly worse in ../contract/worse.test.ts.
 */

const service = useService();
useFunctionEnvironment(service);
const ada = useOwner(service);

const hang: Crash = { reason: "unresponsive", device: "desktop", engine: "other" };

let first: NamedRelease;
let second: NamedRelease;
beforeEach(async () => {
  first = await goLive(ada);
  second = await goLive(ada);
});

const get = (query = "") => ada.get(`/projects/${ada.slug}/crashes${query}`);
const dayOf = (at: Date) => at.toISOString().slice(0, 10);

describe("the crashes of a project", () => {
  test("are those of each release by reason, device and engine, beside its plays, those of previews apart", async () => {
    await crash(ada.slug, first, 2);
    await crash(ada.slug, second, 3, { at: hoursAgo(40) });
    await crash(ada.slug, second, 1, { of: hang });
    await crash(ada.slug, second, 4, { isPreview: true });
    await play(service, ada.slug, second, 500);
    const { status, body } = await get();
    expect({ status, releases: body.releases, worse: body.worse }).toEqual({
      status: 200,
      releases: [
        {
          ...{ release: { id: second.id, number: 2 }, crashes: 4, plays: 500, previews: 4 },
          reasons: { oom: 7, unresponsive: 1 },
          devices: { phone: 7, desktop: 1 },
          engines: { chromium: 7, other: 1 },
        },
        {
          ...{ release: { id: first.id, number: 1 }, crashes: 2, plays: 0, previews: 0 },
          ...{ reasons: { oom: 2 }, devices: { phone: 2 }, engines: { chromium: 2 } },
        },
      ],
      worse: null,
    });
  });

  test("are of the last 30 days, or of those that are asked for, 92 at most", async () => {
    for (const days of [0, 29, 30, 91]) await crash(ada.slug, first, 1, { at: hoursAgo(24 * days) });
    const day = (days: number) => dayOf(hoursAgo(24 * days));
    const crashes = async (query = "") => {
      const { from, to, releases } = (await get(query)).body;
      return [from, to, releases[0]?.crashes];
    };
    expect(await crashes()).toEqual([day(29), day(0), 2]);
    expect(await crashes(`?from=${day(91)}`)).toEqual([day(91), day(0), 4]);
    expect(await crashes(`?from=${day(300)}`)).toEqual([day(91), day(0), 4]);
    expect(await crashes(`?from=${day(30)}&to=${day(29)}`)).toEqual([day(30), day(29), 2]);
    expect(await crashes(`?from=${day(89)}&to=${day(31)}`)).toEqual([day(89), day(31), undefined]);
  });

  test("of releases that the project does not have are an earlier project's, whose slug it was", async () => {
    await crash(ada.slug, { name: "a".repeat(43) }, 5);
    expect((await get()).body.releases).toEqual([]);
  });

  test("are refused for what is no day", async () => {
    for (const query of ["from=yesterday", "to=2026-13-01"])
      expect(await get(`?${query}`)).toMatchObject({ status: 400, body: { code: "invalid_parameters" } });
  });
});

describe("the live release", () => {
  const worse = () => ({ of: { id: second.id, number: 2 }, before: { id: first.id, number: 1 } });
  const judged = async () => (await get()).body.worse;

  beforeEach(async () => {
    await play(service, ada.slug, first, 1_000);
    await play(service, ada.slug, second, 200);
    await crash(ada.slug, first, 10);
  });

  test("is called worse than the one before it if it crashes clearly more often", async () => {
    await crash(ada.slug, second, 2);
    expect(await judged()).toBeNull();
    await crash(ada.slug, second, 20);
    expect(await judged()).toEqual(worse());
  });

  test("is not judged by its last three hours, whose plays are not counted yet, nor by its previews", async () => {
    await crash(ada.slug, second, 22, { at: hoursAgo(2) });
    await crash(ada.slug, second, 22, { isPreview: true });
    expect(await judged()).toBeNull();
    await crash(ada.slug, second, 22, { at: hoursAgo(4) });
    expect(await judged()).toEqual(worse());
  });

  test("is the one that is judged: after a roll-back, nobody is told of a release that is not live", async () => {
    await crash(ada.slug, second, 22);
    expect((await makeLive(ada, ada.slug, first.id)).status).toBe(200);
    expect(await judged()).toBeNull();
  });

  test("is compared with the played release before it, past one that was never played", async () => {
    const third = await goLive(ada);
    const fourth = await goLive(ada);
    await play(service, ada.slug, fourth, 200);
    await crash(ada.slug, fourth, 22);
    expect(third.id).not.toBe("");
    expect(await judged()).toEqual({ of: { id: fourth.id, number: 4 }, before: { id: second.id, number: 2 } });
  });
});
