import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "@jest/globals";
import { columnOf, type LogRow, logFields } from "../../options/statistics/contract/log-fields.ts";
import { countsOf } from "../../options/statistics/functions/daily-counts.ts";
import { dailyQuery, rowOf } from "../../options/statistics/functions/daily-query.ts";
import { AccessLog } from "../../options/statistics/local/access-log.ts";
import { randomNumbers } from "../../test/support/random.ts";
import { judge, pythonTool, testWith } from "../foreign-tools.ts";

/*
 * The query of the access log has one text for SQLite and for Athena, which cannot be had here: DuckDB asks it of Parquet, as Athena does,
 * and SQLGlot parses it as Athena's SQL.
 */

const duckdb = pythonTool("duckdb==2.0.1", "python");
const sqlglot = pythonTool("sqlglot==30.30.0", "python");
const folder = mkdtempSync(join(tmpdir(), "svc-queries-"));
afterAll(() => rmSync(folder, { recursive: true }));

const sql = dailyQuery({ day: "2026-11-25", next: "2026-11-26" });
writeFileSync(join(folder, "query.sql"), sql);

const [first, second] = ["a".repeat(43), "b".repeat(43)];
const random = randomNumbers(1);
const oneOf = <T>(values: readonly [T, ...T[]]): T => values[Math.floor(random() * values.length)] ?? values[0];

const rows: LogRow[] = Array.from({ length: 3_000 }, () => ({
  date: oneOf(["2026-11-24", "2026-11-25", "2026-11-25"]),
  time: oneOf(["00:00:00", "09:59:59", "12:00:00", "23:59:59", "-"]),
  "x-host-header": oneOf(["a.games.example", "A.games.example", "b.games.example", "made-up.games.example"]),
  "cs-uri-stem": oneOf([
    ...(["/", "/index.html", "/a.js", "/folder/other/ip/", `/a/${first}/bp/`] as const),
    ...[`/a/${first}/ip/index.html`, `/a/~abcdefgh/if/a.js`, "/missing.png", "/it's.png", "/%25_x"],
  ]),
  "sc-status": oneOf(["200", "200", "304", "404", "403", "503", "000"]),
  "sc-bytes": oneOf(["-", "0", "5000000000", "", "none", "-5", "99999999999999999999"]),
  "time-taken": "0.1",
  "time-to-first-byte": oneOf(["-", "0.001", "1.25", "", "none", "-1", "1000000"]),
  "c-country": oneOf(["-", "DE", "US"]),
  "x-edge-result-type": "Hit",
  "cs-protocol": "https",
  "viewer-request-log-data": oneOf(["-", `${first}.p`, `${first}.f`, `${second}.p`, ".p", ".f"]),
}));
// A made-up host has no release.
for (const [index, row] of rows.entries())
  if (row["x-host-header"].startsWith("made-up"))
    rows[index] = { ...row, "sc-status": "404", "viewer-request-log-data": oneOf(["-", ".f", ".p"]) };

const program = `
import duckdb, json, sys
folder = sys.argv[1]
connection = duckdb.connect()
connection.execute(f"CREATE TABLE rows AS SELECT * FROM read_json('{folder}/rows.json')")
connection.execute(f"COPY rows TO '{folder}/log.parquet' (FORMAT parquet)")
connection.execute(f"CREATE VIEW access_log AS SELECT * FROM read_parquet('{folder}/log.parquet')")
found = connection.execute(open(f"{folder}/query.sql").read()).fetchall()
print(json.dumps([[str(value) for value in row] for row in found]))
`;

testWith(duckdb)("DuckDB gives the same rows of a log in Parquet as SQLite of its own", async () => {
  const log = new AccessLog(undefined);
  for (const row of rows) log.add(row);
  const { rows: expected } = await log.query(sql);
  await log.stop();
  const inParquet = rows.map((row) =>
    Object.fromEntries([
      ...logFields.map((field) => [columnOf(field), row[field]]),
      // CloudFront may deliver a row into the next day's folder.
      ["day", oneOf([row.date.replaceAll("-", "/"), "2026/11/26"])],
    ]),
  );
  writeFileSync(join(folder, "rows.json"), inParquet.map((row) => JSON.stringify(row)).join("\n"));
  const { code, stdout, stderr } = judge(duckdb, ["-c", program, folder]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const found: string[][] = JSON.parse(stdout);
  expect(found).toEqual(expected);
  expect(found.length).toBeGreaterThan(50);
  expect(found.some(([host]) => host?.startsWith("made-up"))).toBe(false);
  expect(found.at(-1)?.[0]).toBe("~");
  const counts = countsOf(found.map(rowOf).filter(({ host }) => host === "a.games.example"));
  const played = rows.filter(
    (row) =>
      row.date === "2026-11-25" &&
      row["x-host-header"].toLowerCase() === "a.games.example" &&
      row["sc-status"] === "200" &&
      row["viewer-request-log-data"] === `${first}.p`,
  );
  expect(counts.get(first)?.firstPlays).toBe(played.length);
});

/** `MADE_UP_HOSTS=1000000 npm run test:lab -- lab/judges/queries` has the figures of docs/decisions/0071. */
const madeUpHosts = Number(process.env["MADE_UP_HOSTS"] ?? 20_000);

const writing = `
import duckdb, sys
folder, hosts = sys.argv[1], int(sys.argv[2])
connection = duckdb.connect()
columns = """'2026-11-25' AS "date", '12:00:00' AS "time", '/path-' || i AS cs_uri_stem, '404' AS sc_status, '400' AS sc_bytes,
  '0.001' AS time_taken, '0.001' AS time_to_first_byte, 'DE' AS c_country, 'Miss' AS x_edge_result_type, 'https' AS cs_protocol,
  '2026/11/25' AS "day" """
connection.execute(f"""COPY (
  SELECT 'made-up-' || i || '.games.example' AS x_host_header, '-' AS viewer_request_log_data, {columns} FROM range({hosts}) AS made_up (i)
  UNION ALL
  SELECT 'game-' || (i % 10) || '.games.example', '{"a" * 43}.p', {columns} FROM range(100) AS games (i)
) TO '{folder}/flooded.parquet' (FORMAT parquet)""")
`;

const asking = `
import duckdb, json, sys, time
folder = sys.argv[1]
connection = duckdb.connect()
connection.execute(f"CREATE VIEW access_log AS SELECT * FROM read_parquet('{folder}/flooded.parquet')")
megabytes = lambda: int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) // 1024
before, begun = megabytes(), time.process_time()
found = connection.execute(open(f"{folder}/query.sql").read()).fetchall()
print(json.dumps({"rows": len(found), "unknown": found[-1][5], "seconds": round(time.process_time() - begun, 2), "megabytes": megabytes() - before}))
`;

testWith(duckdb)(
  "made-up hosts are one row of the result, whatever their number",
  async () => {
    const log = new AccessLog(undefined);
    const add = (host: string, path: number, logged: string) =>
      log.add({
        ...{ date: "2026-11-25", time: "12:00:00", "x-host-header": host, "cs-uri-stem": `/path-${path}` },
        ...{ "sc-status": "404", "sc-bytes": "400", "time-taken": "0.001", "time-to-first-byte": "0.001" },
        ...{
          "c-country": "DE",
          "x-edge-result-type": "Miss",
          "cs-protocol": "https",
          "viewer-request-log-data": logged,
        },
      });
    for (let host = 0; host < madeUpHosts; host += 1) {
      add(`made-up-${host}.games.example`, host, "-");
      if (host % 10_000 === 0) await log.query("SELECT 1");
    }
    for (let row = 0; row < 100; row += 1) add(`game-${row % 10}.games.example`, row, `${first}.p`);
    await log.query("SELECT 1");
    const [before, begun] = [process.resourceUsage().maxRSS, process.cpuUsage()];
    const found = await log.query(sql);
    const { user, system } = process.cpuUsage(begun);
    const inSqlite = {
      rows: found.rows.length,
      unknown: Number(found.rows.at(-1)?.[5]),
      seconds: (user + system) / 1e6,
      megabytes: Math.round((process.resourceUsage().maxRSS - before) / 1_024),
    };
    await log.stop();
    expect(judge(duckdb, ["-c", writing, folder, String(madeUpHosts)])).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = judge(duckdb, ["-c", asking, folder]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const inDuckdb = JSON.parse(stdout);
    console.log(`${madeUpHosts} made-up hosts: ${JSON.stringify({ inSqlite, inDuckdb })}`);
    // Each of ten games has a row that sums and ten paths that failed.
    for (const { rows, unknown } of [inSqlite, inDuckdb])
      expect({ rows, unknown }).toEqual({ rows: 111, unknown: madeUpHosts });
  },
  600_000,
);

testWith(sqlglot)("SQLGlot parses it as Athena's SQL, and knows nothing in it that Athena has not", () => {
  const check = `
import sqlglot, sys
from sqlglot import ErrorLevel
query = open(sys.argv[1]).read()
(parsed,) = sqlglot.parse(query, read="athena", error_level=ErrorLevel.RAISE)
print(sorted({type(each).__name__ for each in parsed.find_all(sqlglot.exp.Anonymous)}))
`;
  const { code, stdout, stderr } = judge(sqlglot, ["-c", check, join(folder, "query.sql")]);
  expect({ code, stdout: stdout.trim(), stderr }).toEqual({ code: 0, stdout: "[]", stderr: "" });
});
