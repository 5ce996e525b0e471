import { describe, expect, test } from "@jest/globals";
import { readProject } from "../../../functions/table/projects/project-items.ts";
import { newProject } from "../../../test/support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useService } from "../../../test/support/service/suite.ts";
import { recentPlays } from "../functions/traffic.ts";
import { replaceTraffic } from "../functions/traffic-items.ts";
import { storePlays } from "./support/stored-plays.ts";

/*
 * GET /projects/:slug/statistics. What is counted is in options/statistics/test/count-plays.test.ts.
 */

const service = useService();
useFunctionEnvironment(service);
const ada = useOwner(service);

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

const counted = (days: number, changes: object = {}) =>
  storePlays(ada.slug, { day: daysAgo(days), firstByteMilliseconds: 81, bytes: 1_000, ...changes });
const get = (query = "") => ada.get(`/projects/${ada.slug}/statistics${query}`);

describe("the statistics of a project", () => {
  test("are those of its days and releases, with countries and paths of all of them", async () => {
    await counted(0);
    await counted(0, { release: "", releaseId: undefined, releaseNumber: undefined, firstPlays: 0, repeatedPlays: 0 });
    const { status, body } = await get();
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        ...{ from: daysAgo(29), to: daysAgo(0) },
        days: [
          {
            ...{ day: daysAgo(0), release: null, first_plays: 0, repeated_plays: 0, requests: 20, bytes: 1_000 },
            ...{ first_byte_milliseconds: null, errors: { 404: 2 }, missed_pages: 0 },
          },
          {
            ...{ day: daysAgo(0), release: { id: "00VbbL3M8vSKHg8rDkhym8", number: 3 } },
            ...{ first_plays: 3, repeated_plays: 1, requests: 20, bytes: 1_000, first_byte_milliseconds: 20 },
            ...{ errors: { 404: 2 }, missed_pages: 0 },
          },
        ],
        countries: { DE: 6, unknown: 2 },
        traffic: { project: { bytes: 0, limit: null }, account: { bytes: 0, limit: null }, limited_until: null },
        failing: [{ path: "/a", status: 404, requests: 4 }],
        hours: [],
      },
    });
  });

  test("of days before it was created are another project's, whose slug it was", async () => {
    await counted(1);
    expect((await get()).body).toMatchObject({ days: [], countries: {}, failing: [] });
  });

  test("end with the last day that is asked for", async () => {
    await counted(0);
    await counted(-1);
    const daysUntil = async (to: string) => (await get(`?to=${to}`)).body.days.map(({ day }: { day: string }) => day);
    expect(await daysUntil(daysAgo(0))).toEqual([daysAgo(0)]);
    expect(await daysUntil(daysAgo(-1))).toEqual([daysAgo(0), daysAgo(-1)]);
  });

  test("have the plays of the last two days by hour, of all releases, without hours that have none", async () => {
    const hours = (changes: object) => Object.assign(Array(24).fill(0), changes);
    for (const [days, release, playsByHour] of [
      [0, "a", hours({ 0: 1, 23: 20 })],
      [-1, "a", hours({ 5: 300 })],
      [-1, "b", hours({ 5: 4_000, 6: 50_000 })],
      [-1, "c", undefined],
      [-2, "a", hours({ 7: 600_000 })],
    ] as const)
      await counted(days, { release: release.repeat(43), ...(playsByHour && { playsByHour }) });
    const at = (days: number, hour: string, plays: number) => ({ at: `${daysAgo(days)}T${hour}:00:00.000Z`, plays });
    const untilTomorrow = [at(0, "00", 1), at(0, "23", 20), at(-1, "05", 4_300), at(-1, "06", 50_000)];
    expect((await get(`?to=${daysAgo(-1)}`)).body.hours).toEqual(untilTomorrow);
    expect((await get(`?to=${daysAgo(-2)}`)).body.hours).toEqual([...untilTomorrow.slice(2), at(-2, "07", 600_000)]);
  });

  test("have the twenty paths that failed most, of however many releases", async () => {
    const failing = (count: number) =>
      Array.from({ length: count }, (_, path) => ({ path: `/${path}`, status: "404", requests: path + 1 }));
    await counted(0, { failing: failing(25) });
    const { body } = await get();
    expect(body.failing.map(({ path }: { path: string }) => path)).toEqual(
      Array.from({ length: 20 }, (_, index) => `/${24 - index}`),
    );
  });

  test("are read whole, by pages", async () => {
    const releases = Array.from({ length: 501 }, (_, index) => String(index).padStart(43, "0"));
    for (let from = 0; from < releases.length; from += 50)
      await Promise.all(releases.slice(from, from + 50).map((release) => counted(0, { release })));
    expect((await get()).body.days).toHaveLength(501);
  });

  test("are told of 92 days at most, the last ones", async () => {
    expect((await get("?from=2026-01-01&to=2026-06-30")).body).toMatchObject({ from: "2026-03-31", to: "2026-06-30" });
    expect((await get("?from=2026-06-29&to=2026-06-30")).body).toMatchObject({ from: "2026-06-29", to: "2026-06-30" });
  });

  test("are refused for what is no day", async () => {
    for (const query of ["from=yesterday", "to=2026-13-01", "from=2026-1-1"])
      expect(await get(`?${query}`)).toMatchObject({ status: 400, body: { code: "invalid_parameters" } });
  });
});

describe("the plays of a list of projects", () => {
  const created = "2026-02-01T00:00:00.000Z";
  const now = new Date("2026-03-15T12:00:00.000Z");
  /** The plays of a month by day. */
  const month = async (name: string, playsByDay: Record<string, number>) => {
    const project = await readProject(ada.slug);
    if (project === undefined) throw new Error("There is no project");
    const traffic = { previous: undefined, byDay: { "01": 1 }, playsByDay, now: new Date() };
    await replaceTraffic(project, name, traffic);
    return project;
  };

  test("are those of the last 30 days, of two months, and not of the days before or after", async () => {
    await month("2026-02", { "13": 1, "14": 10, "28": 100 });
    const project = { ...(await month("2026-03", { "01": 1_000, "15": 10_000, "16": 100_000 })), createdAt: created };
    expect(await recentPlays([project], now)).toEqual({ [ada.slug]: 11_110 });
    expect(await recentPlays([project], new Date("2026-03-30T00:00:00.000Z"))).toEqual({ [ada.slug]: 111_000 });
  });

  test("are not those of an earlier project of the slug", async () => {
    const project = { ...(await month("2026-03", { "09": 1, "10": 10 })), createdAt: "2026-03-10T23:59:00.000Z" };
    expect(await recentPlays([project], now)).toEqual({ [ada.slug]: 10 });
  });

  test("are of each project by its slug, of more than one read has, without those that nobody played", async () => {
    const project = { ...(await month("2026-03", { "14": 7 })), createdAt: created };
    const others = Array.from({ length: 60 }, (_, index) => ({ ...project, slug: `nobody-plays-${index}` }));
    expect(await recentPlays([...others, project], now)).toEqual({ [ada.slug]: 7 });
  });

  test("are beside the projects, also for a narrowed token", async () => {
    await month(daysAgo(0).slice(0, 7), { [daysAgo(0).slice(-2)]: 5 });
    await newProject(ada);
    const token = await ada.token({ projects: [ada.slug] });
    for (const actor of [ada, token]) expect((await actor.get("/projects")).body.plays).toEqual({ [ada.slug]: 5 });
  });
});
