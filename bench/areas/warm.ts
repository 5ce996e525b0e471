import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { kebabCase } from "../../contract/routes.ts";
import { bundleFolderOf, bundleFunctions } from "../../infra/bundle.ts";
import { allocatedBytes } from "../harness/allocations.ts";
import { barChart } from "../harness/chart.ts";
import { type Comparison, compare } from "../harness/comparison.ts";
import type { Effort } from "../harness/effort.ts";
import { inTurn } from "../harness/rounds.ts";
import { number, ratio, type Section, table } from "../harness/section.ts";
import { buildUsualFunctions, usualBundleOf } from "../peers/usual-build.ts";
import { type BenchService, functionEnvironment, withService } from "../stage/bench-stage.ts";
import { type Case, cases } from "../stage/cases.ts";
import { contextOf, eventOf } from "../stage/invocation.ts";

interface Row {
  readonly name: string;
  readonly processor: Comparison;
  readonly wall: Comparison;
  readonly allocatedKibibytes: { readonly ours: number; readonly theirs: number };
}

const requestsPerRound = 40;

/**
 * What a warm function costs a request: processor time and allocations in its process, and the time until the response,
 * the engine's on loopback included. Functions run in this process, one request after the other.
 */
export async function warm({ isQuick }: Effort): Promise<Section> {
  const effort = isQuick ? { rounds: 3, warmUps: 1 } : { rounds: 9, warmUps: 4 };
  await bundleFunctions();
  await buildUsualFunctions();
  const rows = await withService(async (stage) => {
    Object.assign(process.env, functionEnvironment(stage));
    const measured: Row[] = [];
    for (const one of cases()) measured.push(await measureCase(stage, one, effort));
    return measured;
  });
  return section(rows, effort.rounds);
}

async function measureCase(stage: BenchService, one: Case, effort: { rounds: number; warmUps: number }): Promise<Row> {
  const name = kebabCase(one.route);
  const svc = await contender(stage, one, join(bundleFolderOf(name), "index.mjs"));
  const peer = await contender(stage, one, usualBundleOf(name));
  const { ours, usual } = await inTurn({ ours: svc.times, usual: peer.times }, effort);
  const row = {
    name: one.name,
    processor: compare(ours.processorMicroseconds, usual.processorMicroseconds),
    wall: compare(ours.wallMicroseconds, usual.wallMicroseconds),
    allocatedKibibytes: { ours: await svc.allocatedKibibytes(), theirs: await peer.allocatedKibibytes() },
  };
  console.log(`${row.name}: ${number(row.processor.ours)} µs of processor, ${ratio(row.processor)}`);
  return row;
}

async function contender(stage: BenchService, one: Case, bundle: string) {
  const { handler } = await import(pathToFileURL(bundle).href);
  const context = contextOf(one.route);
  const prepare = async () =>
    (await one.prepare(stage.actors, requestsPerRound)).map((request) => eventOf(one.route, request));
  const run = async (events: readonly APIGatewayProxyEventV2[]) => {
    for (const event of events) {
      const { statusCode, body } = await handler(event, context);
      if (statusCode >= 400) throw new Error(`${one.name} answered ${statusCode} ${body}`);
    }
  };
  return {
    times: async () => {
      const events = await prepare();
      const processor = process.cpuUsage();
      const started = performance.now();
      await run(events);
      const wall = performance.now() - started;
      const { user, system } = process.cpuUsage(processor);
      return {
        wallMicroseconds: (wall * 1_000) / requestsPerRound,
        processorMicroseconds: (user + system) / requestsPerRound,
      };
    },
    allocatedKibibytes: async () => {
      const events = await prepare();
      return (await allocatedBytes(() => run(events))) / 1_024 / requestsPerRound;
    },
  };
}

function section(rows: readonly Row[], rounds: number): Section {
  const isTheSame = rows.filter(({ processor }) => processor.isDecided).length < rows.length / 2;
  return {
    markdown: `## What a warm function costs a request

Processor time and heap allocations in the function's process, and the time until the response with the engine on loopback
(which takes most of it). ${rounds} rounds of ${requestsPerRound} requests, one after the other, beside the usual build.

![Processor time of a warm request](plots/warm.svg)

${table(
  [
    "request",
    "processor, µs",
    "usual, µs",
    "ratio",
    "allocated, KiB",
    "usual, KiB",
    "until the response, µs",
    "usual, µs",
    "ratio",
  ],
  rows.map(({ name, processor, allocatedKibibytes, wall }) => [
    name,
    number(processor.ours),
    number(processor.theirs),
    ratio(processor),
    number(allocatedKibibytes.ours),
    number(allocatedKibibytes.theirs),
    number(wall.ours),
    number(wall.theirs),
    ratio(wall),
  ]),
)}`,
    plots: {
      "warm.svg": barChart({
        title: isTheSame
          ? "Warm, both builds take the same: it is the SDK's and Node's work"
          : "What a warm request costs its function",
        subtitle: "Microseconds of processor time in the function's process, logarithmic; shorter is better",
        logarithmic: true,
        categories: rows.map(({ name }) => name),
        series: {
          svc: rows.map(({ processor }) => processor.ours),
          "the same handler, usual build": rows.map(({ processor }) => processor.theirs),
        },
        label: number,
      }),
    },
  };
}
