import { createHistogram } from "node:perf_hooks";
import { median } from "simple-statistics";
import { routes } from "../../contract/routes.ts";
import { barChart, lineChart } from "../harness/chart.ts";
import type { Effort } from "../harness/effort.ts";
import { applyLoad, type LoadResult } from "../harness/load.ts";
import { number, type Section, table } from "../harness/section.ts";
import { type BenchService, withService } from "../stage/bench-stage.ts";
import { type Case, cases } from "../stage/cases.ts";

const measured = ["GET /health", "GET /me by token", "GET /me by ID token", "POST /tokens"];
const connectionCounts = [1, 8, 64];

interface Row {
  readonly name: string;
  readonly connections: number;
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** The API under load: the local service, its engine and this client all on the same machine. */
export async function api({ isQuick }: Effort): Promise<Section> {
  const size = isQuick ? { rounds: 2, requests: 200 } : { rounds: 3, requests: 1_000 };
  const chosen = cases().filter(({ name }) => measured.includes(name));
  const rows = await withService(async (stage) => {
    const results = new Map<string, LoadResult[]>();
    for (let round = -1; round < size.rounds; round += 1)
      for (const one of chosen)
        for (const connections of connectionCounts) {
          const result = await loadCase(stage, one, connections, size.requests);
          const key = `${one.name}@${connections}`;
          if (round >= 0) results.set(key, [...(results.get(key) ?? []), result]);
        }
    return chosen.flatMap(({ name }) =>
      connectionCounts.map((connections) => rowOf(name, connections, results.get(`${name}@${connections}`) ?? [])),
    );
  });
  return section(rows, size);
}

async function loadCase(stage: BenchService, one: Case, connections: number, count: number): Promise<LoadResult> {
  const requests = await one.prepare(stage.actors, count);
  return await applyLoad({ api: stage.api, method: routes[one.route].method, requests, connections });
}

function rowOf(name: string, connections: number, results: readonly LoadResult[]): Row {
  const all = createHistogram();
  for (const { latencies } of results) all.add(latencies);
  const row = {
    name,
    connections,
    requestsPerSecond: median(results.map(({ requestsPerSecond }) => requestsPerSecond)),
    p50: all.percentile(50) / 1e6,
    p99: all.percentile(99) / 1e6,
  };
  console.log(`${name} at ${connections}: ${number(row.requestsPerSecond)}/s`);
  return row;
}

function section(rows: readonly Row[], { rounds, requests }: { rounds: number; requests: number }): Section {
  const names = [...new Set(rows.map(({ name }) => name))];
  const valuesOf = (name: string, value: (row: Row) => number) =>
    connectionCounts.map((count) => {
      const row = rows.find((candidate) => candidate.name === name && candidate.connections === count);
      return row === undefined ? null : value(row);
    });
  const seriesOf = (value: (row: Row) => number) =>
    Object.fromEntries(names.map((name) => [name, valuesOf(name, value)]));
  return {
    markdown: `## The API under load

The local service over HTTP with 1, 8 and 64 connections: one process that is gateway and all functions, the engine, and
this client, all on this machine. Deployed, each function has a processor of its own. ${rounds} rounds of ${requests.toLocaleString("en")} requests each;
requests a second are the median of the rounds, latencies those of all. \`GET /health\` reads no table: what it costs is
the stage's own HTTP.

![Requests a second](plots/api-throughput.svg)

![Latency](plots/api-latency.svg)

${table(
  ["request", "connections", "requests/s", "p50, ms", "p99, ms"],
  rows.map(({ name, connections, requestsPerSecond, p50, p99 }) => [
    name,
    String(connections),
    number(requestsPerSecond),
    number(p50),
    number(p99),
  ]),
)}`,
    plots: {
      "api-throughput.svg": barChart({
        title: `This machine answers ${number(Math.max(...rows.filter(({ name }) => name === "GET /me by token").map((row) => row.requestsPerSecond)))} GET /me by token a second`,
        subtitle: "The local service, its engine and the client share this machine's processors; longer is better",
        categories: connectionCounts.map((count) => `${count} connection${count === 1 ? "" : "s"}`),
        series: seriesOf(({ requestsPerSecond }) => requestsPerSecond),
        label: number,
      }),
      "api-latency.svg": lineChart({
        title: "More connections wait longer, as they must on a busy machine",
        subtitle: "Milliseconds that 99 of 100 requests are answered within; lower is better",
        x: { name: "connections", values: connectionCounts },
        y: { name: "p99, ms" },
        series: seriesOf(({ p99 }) => p99),
        label: number,
      }),
    },
  };
}
