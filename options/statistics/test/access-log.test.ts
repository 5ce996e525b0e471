import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import type { EdgeResult } from "../../../local/edge/edge-location.ts";
import { gameHost } from "../../../local/sites/game-host.ts";
import { actorsOf } from "../../../test/support/service/actors.ts";
import { type Owner, withProject } from "../../../test/support/service/operations.ts";
import { play } from "../../../test/support/service/play.ts";
import { startService, type TestService } from "../../../test/support/service/service.ts";
import { publish } from "../../../test/support/service/steps.ts";
import { opening } from "../../../test/support/service/visits.ts";
import type { LogRow } from "../contract/log-fields.ts";
import { AccessLog } from "../local/access-log.ts";
import { watchPlays } from "../local/option.ts";

/*
 * The access log of the local service's games.
 */

const data = mkdtempSync(join(tmpdir(), "svc-log-"));
const file = join(data, "access-log.sqlite");
let service: TestService;
let ada: Owner;

beforeAll(async () => {
  service = await startService({ dataFolder: data, env: { GAMES_STORE_ENDPOINT: undefined } });
  ada = await withProject(await actorsOf(service).developer());
});
afterAll(async () => {
  await service?.stop();
  rmSync(data, { recursive: true });
});

type Row = Record<string, string>;

/** All rows, once there are so many. */
async function rowsOf(count: number): Promise<Row[]> {
  for (let wait = 0; wait < 400; wait += 1) {
    const database = new DatabaseSync(file, { readOnly: true });
    const rows = database.prepare("SELECT * FROM access_log").all() as unknown as Row[];
    database.close();
    if (rows.length >= count) return rows;
    await delay(50);
  }
  throw new Error(`The log has fewer than ${count} rows`);
}

test("a request is a row with these fields, and with nothing of who sent it", async () => {
  await publish(ada, ada.slug, { "index.html": "page 1", "a.js": "a 1" });
  const page = await play(service, ada.slug, { headers: { ...opening, "user-agent": "Secret/1.0" } });
  const cookie = String(page.headers["set-cookie"]).split(";")[0] ?? "";
  await publish(ada, ada.slug, { "index.html": "page 2", "a.js": "a 2" });
  const headers = { cookie: `${cookie}; other=hidden`, referer: "https://elsewhere.example/" };
  const script = await play(service, ada.slug, { path: "/a.js?session=s3cret", headers });
  expect(script.body.toString()).toBe("a 1");
  await play(service, ada.slug, { headers: opening });
  await play(service, ada.slug, { path: "/missing.png" });
  await play(service, "no-such-game", { headers: opening });
  const rows = await rowsOf(5);
  expect(rows.map((row) => [row["x_host_header"], row["cs_uri_stem"], row["sc_status"]])).toEqual([
    [`${ada.slug}.${service.gamesDomain}`, "/", "200"],
    [`${ada.slug}.${service.gamesDomain}`, "/a.js", "200"],
    [`${ada.slug}.${service.gamesDomain}`, "/", "200"],
    [`${ada.slug}.${service.gamesDomain}`, "/missing.png", "404"],
    [`no-such-game.${service.gamesDomain}`, "/", "404"],
  ]);
  const releases = rows.map((row) => row["viewer_request_log_data"]);
  const begunWith = cookie.split("=")[1];
  expect(releases.slice(0, 2)).toEqual([`${begunWith}.p`, `${begunWith}.f`]);
  expect(releases[3]).toBe(releases[2]?.replace(/p$/, "f"));
  expect(releases[2]).not.toBe(releases[0]);
  expect(releases[4]).toBe("-");
  const [row = {}] = rows;
  expect(Object.keys(row)).toEqual([
    ...["date", "time", "x_host_header", "cs_uri_stem", "sc_status", "sc_bytes", "time_taken", "time_to_first_byte"],
    ...["c_country", "x_edge_result_type", "cs_protocol", "viewer_request_log_data", "day"],
  ]);
  expect(row).toMatchObject({
    date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    time: expect.stringMatching(/^\d\d:\d\d:\d\d$/),
  });
  expect(row["day"]).toBe(row["date"]?.replaceAll("-", "/"));
  expect(Number(row["sc_bytes"])).toBeGreaterThan("page 1".length);
  expect(Number(row["time_taken"])).toBeGreaterThanOrEqual(Number(row["time_to_first_byte"]));
  expect(row).toMatchObject({ x_edge_result_type: "Miss", cs_protocol: "http", c_country: "-" });
  const written = ["", "-wal"].map((end) => readFileSync(file + end, "latin1")).join("");
  for (const hidden of ["Secret", "hidden", "s3cret", "elsewhere", "127.0.0.1"]) expect(written).not.toContain(hidden);
});

const rowOf = (date: string): LogRow => ({
  ...{ date, time: "12:00:00", "x-host-header": "a", "cs-uri-stem": "/", "sc-status": "200", "sc-bytes": "1" },
  ...{ "time-taken": "0", "time-to-first-byte": "0", "c-country": "-", "x-edge-result-type": "Hit" },
  ...{ "cs-protocol": "https", "viewer-request-log-data": "-" },
});
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

test("rows stay for 30 days, also when the service starts again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-log-"));
  const first = new AccessLog(folder);
  for (const days of [32, 29, 0]) first.add(rowOf(daysAgo(days)));
  await first.stop();
  const second = new AccessLog(folder);
  const { rows } = await second.query('SELECT "date" FROM access_log ORDER BY 1');
  await second.stop();
  rmSync(folder, { recursive: true });
  expect(rows).toEqual([[daysAgo(29)], [daysAgo(0)]]);
});

test("the rows of a busy second are there once, in the next query and when the service starts again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-log-"));
  const count = async (log: AccessLog) => (await log.query("SELECT count(*) FROM access_log")).rows;
  const write = async (log: AccessLog, rows: number) => {
    for (let row = 0; row < rows; row += 1) log.add(rowOf(daysAgo(0)));
    await log.write();
  };
  /** Inserted rows, without a query, which inserts what waits. */
  const inserted = () => {
    const database = new DatabaseSync(join(folder, "access-log.sqlite"), { readOnly: true });
    const [row] = database.prepare("SELECT count(*) AS count FROM access_log").all();
    database.close();
    return row?.["count"];
  };
  const first = new AccessLog(folder);
  await write(first, 499);
  expect(inserted()).toBe(499);
  await write(first, 500);
  expect(inserted()).toBe(499);
  await write(first, 1_001);
  expect(await count(first)).toEqual([["2000"]]);
  await write(first, 1_000);
  await first.stop();
  const second = new AccessLog(folder);
  await write(second, 1);
  expect(await count(second)).toEqual([["3001"]]);
  expect(await count(second)).toEqual([["3001"]]);
  await second.stop();
  rmSync(folder, { recursive: true });
});

const responses: Record<string, () => Promise<EdgeResult>> = {
  "404": async () => ({ status: 404, headers: {}, body: Buffer.from("Not found"), from: "Error" }),
  "503": () => Promise.reject(new Error("lost")),
  "000": () => new Promise(() => undefined),
};

test.each([
  ["that was sent", "404"],
  ["that the edge could not make", "503"],
  ["that nobody waited for", "000"],
])("the row of a response %s has the status %s", async (_, status) => {
  const told = jest.spyOn(console, "error").mockImplementation(() => undefined);
  const asked = Promise.withResolvers<void>();
  const logged = Promise.withResolvers<LogRow>();
  const respond = async () => {
    asked.resolve();
    return await (responses[status]?.() ?? Promise.reject());
  };
  const host = gameHost("localhost:1", { respond }, [watchPlays({ add: logged.resolve })]);
  const server = createServer((request, response) => void host.respond(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const headers = { host: "bounce.localhost:1" };
  const request = get({ port, host: "127.0.0.1", headers }, (response) => response.resume());
  request.on("error", () => undefined);
  await asked.promise;
  if (status === "000") request.destroy();
  const row = await logged.promise;
  server.close();
  told.mockRestore();
  expect(row).toMatchObject({ "sc-status": status, "cs-uri-stem": "/" });
});

test("rows that cannot be written are told, and the log goes on", async () => {
  const told = jest.spyOn(console, "error").mockImplementation(() => undefined);
  const log = new AccessLog(undefined);
  const noText = ["200"] as unknown as string;
  log.add({ ...rowOf(daysAgo(0)), "sc-status": noText });
  await log.write();
  expect(told.mock.calls[0]?.[0]).toBe("1 rows of the access log could not be written:");
  told.mockRestore();
  await expect(log.query("SELECT nothing")).rejects.toThrow("nothing");
  log.add(rowOf(daysAgo(0)));
  expect(await log.query('SELECT "date", 1 AS one, NULL AS none FROM access_log')).toEqual({
    columns: ["date", "one", "none"],
    rows: [[daysAgo(0), "1", undefined]],
  });
  await log.stop();
});
