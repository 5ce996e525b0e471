import { json } from "node:stream/consumers";
import { beforeAll, describe, expect, jest, test } from "@jest/globals";
import type { DailyStatistics } from "../../../functions/entities/daily-statistics.ts";
import type { Key } from "../../../functions/table/keys.ts";
import { readProject } from "../../../functions/table/projects/project-items.ts";
import { readStatistics, sentBytesWrite, statisticsKey } from "../../../functions/table/projects/statistics-items.ts";
import { readItems } from "../../../functions/table/read.ts";
import { transact } from "../../../functions/table/transaction.ts";
import { startAmazonServer } from "../../../local/amazon-server.ts";
import { oneDay } from "../../../test/support/one-day.ts";
import { actorsOf } from "../../../test/support/service/actors.ts";
import { type Owner, withProject } from "../../../test/support/service/operations.ts";
import { play } from "../../../test/support/service/play.ts";
import { startService } from "../../../test/support/service/service.ts";
import { publish } from "../../../test/support/service/steps.ts";
import { duringTests, useFunctionEnvironment } from "../../../test/support/service/suite.ts";
import { opening } from "../../../test/support/service/visits.ts";
import { query } from "../functions/athena.ts";
import { requestsByCloudFront } from "../functions/cloudfront-requests.ts";
import { countDay, daysToCount, findLogGap } from "../functions/counting.ts";
import { countsOf } from "../functions/daily-counts.ts";
import { dailyQuery, rowOf } from "../functions/daily-query.ts";
import { trafficKey } from "../functions/keys.ts";
import { recentPlays } from "../functions/traffic.ts";
import { handler } from "../jobs/count-plays.ts";
import { AccessLog } from "../local/access-log.ts";

/*
 * The job that counts how games are played, over the local service's access log.
 */

const service = duringTests(() => startService({ env: { GAMES_STORE_ENDPOINT: undefined } }));
useFunctionEnvironment(service, () => ({
  ...service.optionEnvironment,
  GAMES_DOMAIN: service.gamesDomain,
}));

const today = await oneDay();
const count = () => countDay(today, query, new Date());
const statisticsOf = async ({ slug }: Owner) => {
  const found = (await readStatistics(slug, today, today)) as (DailyStatistics & Key)[];
  return found.map(({ PK: _, SK: __, firstByteMilliseconds: ___, ttl: ____, playsByHour: _____, bytes, ...rest }) => ({
    ...rest,
    isSent: bytes > 0,
  }));
};

describe("two browsers that play two releases of a game with a missing file", () => {
  let ada: Owner;
  let names: string[];
  let ids: string[];
  const get = (path: string, headers: Record<string, string> = {}) => play(service, ada.slug, { path, headers });
  const cookieOf = async () => String((await get("/", opening)).headers["set-cookie"]).split(";")[0] ?? "";

  beforeAll(async () => {
    ada = await withProject(await actorsOf(service).developer());
    const first = await publish(ada, ada.slug, { "index.html": "page 1", "a.js": "a 1" });
    const visits = [await cookieOf(), await cookieOf()];
    const { headers } = await get("/", opening);
    await get("/", { ...opening, "if-none-match": String(headers["etag"]) });
    for (const cookie of visits) await get("/a.js?secret=1", { cookie });
    const second = await publish(ada, ada.slug, { "index.html": "page 2", "b.js": "b" });
    // A visit that began before goes on with its release, also with what it lacks.
    for (const path of ["/gone.png", "/gone.png", "/b.png"]) await get(path, { cookie: visits[0] ?? "" });
    ids = [first, second];
    names = [visits[0], await cookieOf()].map((cookie = "") => cookie.split("=")[1] ?? "");
  });

  test("are counted by the release of the visit, once, however often the job runs", async () => {
    expect(await count()).toEqual({ projects: 1, written: 2, overLimit: [] });
    const counted = await statisticsOf(ada);
    const first = {
      ...{ day: today, release: names[0], releaseId: ids[0], releaseNumber: 1 },
      ...{
        firstPlays: 3,
        repeatedPlays: 1,
        requests: 9,
        countries: { unknown: 4 },
        errors: { "404": 3 },
        isSent: true,
      },
      failing: [
        { path: "/gone.png", status: "404", requests: 2 },
        { path: "/b.png", status: "404", requests: 1 },
      ],
    };
    const second = {
      ...{ day: today, release: names[1], releaseId: ids[1], releaseNumber: 2 },
      ...{
        firstPlays: 1,
        repeatedPlays: 0,
        requests: 1,
        countries: { unknown: 1 },
        errors: {},
        failing: [],
        isSent: true,
      },
    };
    expect(counted).toEqual([first, second].sort((a, b) => ((a.release ?? "") < (b.release ?? "") ? -1 : 1)));
    expect(await count()).toEqual({ projects: 1, written: 0, overLimit: [] });
    expect(await statisticsOf(ada)).toEqual(counted);
  });

  test("a row that comes late is added", async () => {
    await count();
    await get("/", opening);
    expect(await count()).toEqual({ projects: 1, written: 1, overLimit: [] });
    const plays = (await statisticsOf(ada)).map(({ release, firstPlays }) => [release, firstPlays]);
    expect(Object.fromEntries(plays)).toEqual({ [names[0] ?? ""]: 3, [names[1] ?? ""]: 2 });
    expect((await ada.get("/projects")).body.plays).toEqual({ [ada.slug]: 6 });
  });

  test("the job itself counts today and says so", async () => {
    await get("/", opening);
    const written = jest.spyOn(process.stdout, "write").mockImplementation(() => true);
    await handler({}, { awsRequestId: "1" } as never);
    const lines = written.mock.calls.map(([line]) => JSON.parse(String(line)).message);
    written.mockRestore();
    expect(lines.at(-1)).toBe(`${today}: 1 projects were played, 1 statistics have changed`);
  });

  test("what is kept goes after 400 days", async () => {
    await count();
    const [item] = await readItems([statisticsKey({ slug: ada.slug, day: today, release: names[0] ?? "" })]);
    const days = ((item as DailyStatistics).ttl - Date.now() / 1_000) / 86_400;
    expect(Math.round(days)).toBe(400);
  });
});

test("the ten paths that fail most are kept of a release and day", async () => {
  const bob = await withProject(await actorsOf(service).developer());
  await publish(bob, bob.slug, { "index.html": "page" });
  const { headers } = await play(service, bob.slug, { headers: opening });
  const cookie = String(headers["set-cookie"]).split(";")[0] ?? "";
  const fewer = Array.from({ length: 11 }, (_, index) => `/${String.fromCharCode(97 + index)}.png`);
  for (const path of [...fewer, "/z.png", "/z.png"]) await play(service, bob.slug, { path, headers: { cookie } });
  await count();
  const [{ failing } = { failing: [] }] = await statisticsOf(bob);
  expect(failing.map(({ path }) => path)).toEqual(["/z.png", ...fewer.slice(0, 9)]);
});

test("a large file is no play and two requests, of which one has its bytes; one that fails has its own path", async () => {
  const bob = await withProject(await actorsOf(service).developer());
  const data = "x".repeat(300_000);
  await publish(bob, bob.slug, { "index.html": "page", "a b.bin": data });
  const { headers } = await play(service, bob.slug, { headers: opening });
  const cookie = String(headers["set-cookie"]).split(";")[0] ?? "";
  const sent = { headers: { cookie, "sec-fetch-dest": "empty" } };
  const { location = "" } = (await play(service, bob.slug, { path: "/a%20b.bin", ...sent })).headers;
  expect((await play(service, bob.slug, { path: String(location), ...sent })).body.toString()).toBe(data);
  const gone = String(location).replace("a%20b", "gone");
  for (const path of [gone, gone, "/gone.bin"])
    expect((await play(service, bob.slug, { path, ...sent })).status).toBe(404);
  await count();
  const [counted] = await readStatistics(bob.slug, today, today);
  expect(counted).toMatchObject({
    ...{ firstPlays: 1, repeatedPlays: 0, requests: 6, errors: { "404": 3 } },
    failing: [{ path: "/gone.bin", status: "404", requests: 3 }],
  });
  expect(counted?.bytes).toBeGreaterThan(data.length);
  expect(counted?.bytes).toBeLessThan(data.length + 20_000);
});

/** Rows of the query: how many plays of which host. */
async function* rowsOf(plays: readonly (readonly [host: string, status: string, plays: number])[]) {
  for (const [host, status, count] of plays)
    yield [`${host}.${service.gamesDomain}`, "a".repeat(43), status, "", "DE", count, count, count, count].map(String);
}

test("a host whose rows go on when fifty hosts are read is counted whole", async () => {
  const bob = await withProject(await actorsOf(service).developer());
  const others = Array.from({ length: 49 }, (_, index) => [`nobody-${index}`, "200", 1] as const);
  const rows = () => rowsOf([...others, [bob.slug, "200", 3], [bob.slug, "304", 2], ["nobody-last", "200", 1]]);
  expect(await countDay(today, rows, new Date())).toMatchObject({ projects: 1, written: 1 });
  expect(await statisticsOf(bob)).toMatchObject([{ firstPlays: 3, repeatedPlays: 2, requests: 5 }]);
});

test("a day is counted beside the other days of its month", async () => {
  const bob = await withProject(await actorsOf(service).developer());
  const project = await readProject(bob.slug);
  if (project === undefined) throw new Error("There is no project");
  for (const [day, plays] of [
    ["2026-03-10", 1],
    ["2026-03-11", 20],
    ["2026-03-12", 300],
    // Again, with rows that came late.
    ["2026-03-11", 4_000],
  ] as const)
    await countDay(day, () => rowsOf([[bob.slug, "200", plays]]), new Date("2026-03-12T12:00:00.000Z"));
  const played = { ...project, createdAt: "2026-01-01T00:00:00.000Z" };
  expect(await recentPlays([played], new Date("2026-03-13T00:00:00.000Z"))).toEqual({ [bob.slug]: 4_301 });
  const [traffic] = await readItems([trafficKey(bob.slug, "2026-03")]);
  expect(traffic).toMatchObject({ sentBytes: 4_301, byDay: { "10": 1, "11": 4_000, "12": 300 } });
});

test("bytes that the store sent players are traffic of their day, once, however often the job runs", async () => {
  const bob = await withProject(await actorsOf(service).developer());
  const sendOn = (day: string, sizeBytes: number) =>
    transact({ sent: sentBytesWrite(bob.slug, sizeBytes, new Date(`${day}T12:00:00.000Z`)) });
  for (const sizeBytes of [1_000, 500]) await sendOn("2026-03-11", sizeBytes);
  await sendOn("2026-03-12", 7);
  for (let run = 0; run < 2; run += 1)
    await countDay("2026-03-11", () => rowsOf([[bob.slug, "200", 3]]), new Date("2026-03-12T12:00:00.000Z"));
  const [traffic] = await readItems([trafficKey(bob.slug, "2026-03")]);
  expect(traffic).toMatchObject({ sentBytes: 1_503, byDay: { "11": 3, "11s": 1_500 }, playsByDay: { "11": 3 } });
});

test("a page that somebody opens and that is not there is no failed request, what the game itself misses is one", async () => {
  const bob = await withProject(await actorsOf(service).developer());
  await publish(bob, bob.slug, { "index.html": "page" });
  const { headers } = await play(service, bob.slug, { headers: opening });
  const cookie = String(headers["set-cookie"]).split(";")[0] ?? "";
  for (const path of ["/wp-login.php", "/old/"]) await play(service, bob.slug, { path, headers: opening });
  await play(service, bob.slug, { path: "/music.ogg", headers: { cookie, "sec-fetch-dest": "audio" } });
  await count();
  expect(await statisticsOf(bob)).toMatchObject([
    {
      requests: 4,
      errors: { "404": 1 },
      missedPages: 2,
      failing: [{ path: "/music.ogg", status: "404", requests: 1 }],
    },
  ]);
  expect((await bob.get(`/projects/${bob.slug}/statistics`)).body.days).toMatchObject([
    { errors: { "404": 1 }, missed_pages: 2 },
  ]);
});

test("a HEAD, a prefetch and a card are no plays", async () => {
  const bob = await withProject(await actorsOf(service).developer());
  await publish(bob, bob.slug, { "index.html": "page" });
  await play(service, bob.slug, { headers: { ...opening, "sec-purpose": "prefetch;prerender" } });
  await play(service, bob.slug, { headers: opening, method: "HEAD" });
  await play(service, bob.slug, { headers: { accept: "text/html", "user-agent": "Slackbot-LinkExpanding 1.0" } });
  await count();
  expect(await statisticsOf(bob)).toMatchObject([{ firstPlays: 0, repeatedPlays: 0, requests: 3 }]);
});

/** A row of the access log. */
const rowAt = (time: string, host: string, status: string, logged: string) => ({
  ...{ date: "2026-11-25", time, "x-host-header": host, "cs-uri-stem": "/", "sc-status": status },
  ...{ "sc-bytes": "1", "time-taken": "0", "time-to-first-byte": "0", "c-country": "-", "cs-protocol": "https" },
  ...{ "x-edge-result-type": "Miss", "viewer-request-log-data": logged },
});

test("plays are counted by the hour, first and repeated ones, and nothing else is", async () => {
  const log = new AccessLog(undefined);
  const release = "a".repeat(43);
  const rows = [
    ...[["00:00:00", "200"] as const, ["00:59:59", "304"] as const, ["13:00:01", "200"] as const],
    ...[["23:59:59", "200"] as const, ["14:00:00", "404"] as const, ["-", "200"] as const],
  ];
  for (const [time, status] of rows) log.add(rowAt(time, "zebra.games.example", status, `${release}.p`));
  log.add(rowAt("15:00:00", "zebra.games.example", "200", `${release}.f`));
  log.add(rowAt("15:00:00", "zebra.games.example", "200", `${"b".repeat(43)}.f`));
  const found = await log.query(dailyQuery({ day: "2026-11-25", next: "2026-11-26" }));
  await log.stop();
  const counts = countsOf(found.rows.map((values) => rowOf(values.map((value) => value ?? ""))));
  const hours = Array(24).fill(0);
  expect(counts.get(release)).toMatchObject({
    ...{ firstPlays: 4, repeatedPlays: 1, requests: 7 },
    playsByHour: Object.assign(hours, { 0: 2, 13: 1, 23: 1 }),
  });
  expect(counts.get("b".repeat(43))).not.toHaveProperty("playsByHour");
});

test("made-up hosts are one sum, after all games", async () => {
  const log = new AccessLog(undefined);
  const row = (host: string, logged: string) => rowAt("12:00:00", host, "404", logged);
  for (let host = 0; host < 1_000; host += 1) log.add(row(`made-up-${host}.games.example`, "-"));
  log.add(row("zebra.games.example", `${"a".repeat(43)}.f`));
  const { rows } = await log.query(dailyQuery({ day: "2026-11-25", next: "2026-11-26" }));
  await log.stop();
  expect(rows.map(([host, , status, path, , requests]) => [host, status, path, requests])).toEqual([
    ["zebra.games.example", "404", "", "1"],
    ["zebra.games.example", "404", "/", "1"],
    ["~", "404", "", "1000"],
  ]);
});

describe("the log that is compared with the requests that CloudFront has counted", () => {
  /** Bodies of the requests to CloudWatch. */
  const asked: object[] = [];
  let counted: number | undefined;
  const cloudWatch = duringTests(() =>
    startAmazonServer(async (request) => {
      asked.push({ operation: request.headers["x-amz-target"], ...((await json(request)) as object) });
      return { body: { Label: "Requests", Datapoints: counted === undefined ? [] : [{ Sum: counted }] } };
    }),
  );
  useFunctionEnvironment(service, () => ({
    ...service.optionEnvironment,
    GAMES_DOMAIN: service.gamesDomain,
    GAMES_DISTRIBUTION_ID: "E1DISTRIBUTION",
    CLOUDWATCH_ENDPOINT: cloudWatch.endpoint,
  }));

  const dayBefore = (days: number) => new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10);
  const logOf = (rows: number, date: string) => {
    const log = new AccessLog(undefined);
    for (let row = 0; row < rows; row += 1) log.add({ ...rowAt("12:00:00", "a.games.example", "200", "-"), date });
    const ask = async function* (sql: string) {
      const { rows: found } = await log.query(sql);
      for (const row of found) yield row.map((value) => value ?? "");
    };
    return { ask, stop: () => log.stop() };
  };

  test.each<[string, number, number | undefined, boolean]>([
    ["no row of 1,000, as one that never began", 0, 1_000, true],
    ["499 rows of 1,000", 499, 1_000, true],
    ["half of the rows", 500, 1_000, false],
    ["no row of 999", 0, 999, false],
    ["no row of a day of which CloudFront has no metric", 0, undefined, false],
  ])("with %s has a gap or not", async (_, rows, requests, hasGap) => {
    const day = dayBefore(1);
    const { ask, stop } = logOf(rows, day);
    const find = (now: string) => findLogGap(ask, async (of) => (of === day ? requests : undefined), new Date(now));
    // Yesterday is looked at from noon on, and before noon the day before it.
    for (const now of [`${today}T12:00:00Z`, `${dayBefore(-1)}T11:59:59Z`])
      expect(await find(now)).toEqual(hasGap ? { day, logged: rows, requests } : undefined);
    expect(await find(`${today}T11:59:59Z`)).toBeUndefined();
    await stop();
  });

  test("rows of other days count for nothing", async () => {
    const { ask, stop } = logOf(1_000, dayBefore(2));
    const gap = await findLogGap(ask, async () => 1_000, new Date(`${today}T12:00:00Z`));
    expect(gap).toEqual({ day: dayBefore(1), logged: 0, requests: 1_000 });
    await stop();
  });

  test("the metric is that of the games' distribution, for the whole day, and its numbers are summed", async () => {
    counted = 1_234;
    expect(await requestsByCloudFront("2026-11-25")).toBe(1_234);
    expect(asked.at(-1)).toEqual({
      operation: "GraniteServiceVersion20100801.GetMetricStatistics",
      ...{ Namespace: "AWS/CloudFront", MetricName: "Requests", Statistics: ["Sum"], Period: 86_400 },
      Dimensions: [
        { Name: "DistributionId", Value: "E1DISTRIBUTION" },
        { Name: "Region", Value: "Global" },
      ],
      ...{ StartTime: Date.parse("2026-11-25") / 1_000, EndTime: Date.parse("2026-11-26") / 1_000 },
    });
    counted = undefined;
    expect(await requestsByCloudFront("2026-11-25")).toBe(0);
  });

  /** The lines of a run of the job at that time that name the alarm. */
  const linesAt = async (time: string) => {
    jest.useFakeTimers({ now: new Date(`${today}T${time}Z`), doNotFake: ["setTimeout", "setImmediate", "nextTick"] });
    const written = jest.spyOn(process.stdout, "write").mockImplementation(() => true);
    await handler({}, { awsRequestId: "1" } as never).finally(() => jest.useRealTimers());
    const lines = written.mock.calls.map(([line]) => JSON.parse(String(line)));
    written.mockRestore();
    return lines.filter(({ code }) => code === "access_log_stopped");
  };

  test("the job says once an hour which day lacks rows, and how many, with the alarm's code", async () => {
    counted = 5_000;
    expect(await linesAt("13:10:00")).toEqual([
      expect.objectContaining({
        level: "error",
        message: `${dayBefore(1)}: of 5000 requests that CloudFront counted the access log has 0`,
      }),
    ]);
    const before = asked.length;
    expect(await linesAt("13:40:00")).toEqual([]);
    expect(asked).toHaveLength(before);
  });

  test("a function that is told no distribution asks CloudWatch nothing", async () => {
    process.env["GAMES_DISTRIBUTION_ID"] = "";
    const before = asked.length;
    expect(await linesAt("13:10:00")).toEqual([]);
    expect(asked).toHaveLength(before);
    process.env["GAMES_DISTRIBUTION_ID"] = "E1DISTRIBUTION";
  });
});

test("hosts without a project, and previews, are counted for nobody", async () => {
  const before = await count();
  for (const host of ["no-such-game", "-", "a.b", `some--${"0".repeat(20)}`])
    await play(service, host, { headers: opening });
  expect(await count()).toEqual({ ...before, written: 0 });
});

test("a query that fails says why", async () => {
  await expect(query("SELECT absent").next()).rejects.toThrow("Athena's query is FAILED: no such column: absent");
});

test("results of any length are read", async () => {
  const numbers =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500) SELECT i, NULL FROM n";
  const rows = [];
  for await (const row of query(numbers)) rows.push(row);
  expect(rows).toHaveLength(2_500);
  expect([rows[0], rows.at(-1)]).toEqual([
    ["1", ""],
    ["2500", ""],
  ]);
});

test.each([
  ["2026-11-25T12:00:00Z", ["2026-11-24", "2026-11-25"]],
  ["2026-11-25T01:00:00Z", ["2026-11-23", "2026-11-24", "2026-11-25"]],
  ["2026-11-25T02:00:00Z", ["2026-11-24", "2026-11-25"]],
  ["2026-11-25T12:29:59Z", ["2026-11-24", "2026-11-25"]],
  ["2026-11-25T12:30:00Z", ["2026-11-25"]],
])("at %s the days that may have late rows are counted", (now, days) => {
  expect(daysToCount(new Date(now))).toEqual(days);
});
