import { countDay } from "../../../functions/domain/statistics/counting.ts";
import { dailyQuery } from "../../../functions/domain/statistics/daily-query.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { put, transact } from "../../../functions/table/transaction.ts";
import { AccessLog } from "../../../local/access-log/access-log.ts";
import { functionEnvironment } from "../../../test/support/service/function-environment.ts";
import { type RecordedService, startRecordedService } from "../../../test/support/service/recorded-service.ts";
import { capacityUnits } from "../../../test/support/table/dynamodb-recorder.ts";
import { type Area, type Effort, type Figure, type Measurement, ratioFigure } from "../area.ts";
import { compare, inTurn } from "../harness/comparison.ts";
import { measureLoad } from "../parts/http-load.ts";
import { countedRows, logRows } from "../parts/log-rows.ts";
import { loggedGame, startLoggedEdge } from "../parts/logged-edge.ts";

const figures = {
  insertion: "a million rows of busy seconds, on one machine: inserting them, of a processor",
  query: "the query over them, of a processor",
  queryWaits: "the same, until it has responded",
  memory: "the job over a day of a million plays: growth of its heap at most",
  reads: "the same: read units, first run",
  writes: "the same: write units, first run",
  again: "the same: write units of a run in which nothing is new",
  log: "requests a second of a game's own origin without its log beside with it, file of 2 KB",
};

/** What counting how games are played takes. */
export const area: Area = {
  name: "statistics",
  title: "Counting how games are played",
  method: `The query runs in SQLite over a million rows of 1,000 games with two releases each, a hundred requests a play. A day of a million plays (a
hundred million requests) of the same games is simulated by what the query would give: 85 rows a release, of 36 countries and ten failing paths. The job counts
them through the functions' own code and table. The log: two processes with the games' edge of \`npm start\`, of which one writes no row, get the same request
over 16 connections in turn, by wrk.`,
  decides: [figures.query],
  targets: {
    [figures.query]: { atMost: 5 },
    // The function has 256 MB, of which Node and the code take about 64.
    [figures.memory]: { atMost: 192 },
    [figures.again]: { atMost: 0 },
  },
  measure,
};

const day = "2026-11-25";
const sql = dailyQuery({ day, next: "2026-11-26" });

async function measure({ isQuick }: Effort): Promise<Measurement> {
  const games = isQuick ? 20 : 1_000;
  const service = await startRecordedService({ env: { SVC_STATISTICS_SECONDS: "0" } });
  Object.assign(process.env, functionEnvironment(service), { GAMES_DOMAIN: "games.example.net" });
  try {
    const { inserted, queried, seconds } = await loggedDay(isQuick ? 10_000 : 1_000_000, games);
    await insertProjects(games);
    const first = await run(service, games);
    const again = await run(service, games);
    return {
      figures: {
        [figures.insertion]: { value: inserted, unit: "s" },
        [figures.query]: { value: queried, unit: "s" },
        [figures.queryWaits]: { value: seconds, unit: "s" },
        [figures.memory]: { value: first.mebibytes, unit: "MiB" },
        [figures.reads]: { value: first.read, unit: "units" },
        [figures.writes]: { value: first.write, unit: "units" },
        [figures.again]: { value: again.write, unit: "units" },
        [figures.log]: await measureLog(isQuick),
      },
    };
  } finally {
    await service.stop();
  }
}

/** How long so many rows take until they are there, and then the query, in seconds of a processor; and the query by the clock. */
async function loggedDay(count: number, games: number) {
  const log = new AccessLog(undefined);
  let waiting = 0;
  for (const row of logRows({ count, games, day })) {
    log.add(row);
    waiting += 1;
    if (waiting % 20_000 === 0) await log.write();
  }
  await log.write();
  const { processorSeconds: inserted } = await timed(() => log.query("SELECT 1"));
  const { processorSeconds: queried, seconds } = await timed(() => log.query(sql));
  await log.stop();
  return { inserted, queried, seconds };
}

async function timed(action: () => Promise<unknown>) {
  const [begun, before] = [performance.now(), process.cpuUsage()];
  await action();
  const { user, system } = process.cpuUsage(before);
  return { processorSeconds: (user + system) / 1e6, seconds: (performance.now() - begun) / 1_000 };
}

/** What writing the log takes of a player's requests. */
async function measureLog(isQuick: boolean): Promise<Figure> {
  const edges = { with: await startLoggedEdge(true), without: await startLoggedEdge(false) };
  const [rounds, milliseconds] = isQuick ? [1, 100] : [11, 3_000];
  const load = (edge: { readonly port: number }) => async () =>
    await measureLoad(
      { ...loggedGame, port: edge.port, headers: { "sec-fetch-dest": "script" }, status: 200 },
      milliseconds,
    );
  try {
    const series = await inTurn({ with: load(edges.with), without: load(edges.without) }, { rounds, warmUps: 1 });
    return ratioFigure(compare(series.without.requestsPerSecond ?? [], series.with.requestsPerSecond ?? []));
  } finally {
    await Promise.all([edges.with.stop(), edges.without.stop()]);
  }
}

const projectsPerWrite = 50;

async function insertProjects(games: number): Promise<void> {
  const ownerKey = accountKey("https://idp.example", "ada");
  const [createdAt, description] = [`${day}T00:00:00.000Z`, null];
  const writes = Array.from({ length: games }, (_, index) => {
    const slug = `game-${index}`;
    return put(keys.project(slug), { slug, ownerKey, name: slug, description, createdAt, updatedAt: createdAt });
  });
  for (let from = 0; from < games; from += projectsPerWrite)
    await transact({ projects: writes.slice(from, from + projectsPerWrite) });
}

/** One run of the job's work over a day, whose rows come one after the other. */
async function run({ recorder }: RecordedService, games: number) {
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  async function* query() {
    for (const row of countedRows(games)) {
      most = Math.max(most, process.memoryUsage().heapUsed - before);
      yield row;
    }
  }
  const calls = await recorder.during(() => countDay(day, query, new Date(`${day}T23:00:00.000Z`)));
  recorder.clear();
  return { ...capacityUnits(calls), mebibytes: most / 1024 ** 2 };
}
