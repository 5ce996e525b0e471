import { median } from "simple-statistics";
import { actorsOf, type Developer } from "../../test/support/service/actors.ts";
import { startService } from "../../test/support/service/service.ts";
import { type Area, type Effort, type Measurement, number, ratioFigure, ratioText } from "../area.ts";
import { type Comparison, compare, inTurn } from "../harness/comparison.ts";
import { fillTable } from "../parts/population.ts";
import type { BenchService } from "../parts/service.ts";

/** The content of the tables. The others are compared with the first. */
const populations = {
  few: { name: "10 accounts", accounts: 0, tokensEach: 1 },
  many: { name: "100,000 accounts", accounts: 100_000, tokensEach: 1 },
  tokens: { name: "10 accounts with 30 active tokens each", accounts: 0, tokensEach: 30 },
};
type Population = keyof typeof populations;
const names = Object.keys(populations) as Population[];

const figures = {
  many: "`GET /me` by token among 100,000 accounts beside 10, time",
  tokens: "`GET /me` by token of an account with 30 active tokens beside 1, time",
};

/** How a request's time grows with the table. */
export const area: Area = {
  name: "growth",
  title: "How it grows with the table",
  method: `The median time of a request over one connection, on a service whose table has this many accounts, beside one with 10; the
services were measured in turn. No request scans, and none reads more than the items that it names, so the time must not grow with
the accounts. An account's own item grows with its active tokens, whose ids and expiries it holds. An interval that
holds 1 means that the noise is larger than the difference.`,
  decides: [figures.many],
  targets: { [figures.many]: { atMost: 1.1 }, [figures.tokens]: { atMost: 1.25 } },
  measure,
};

interface FilledService {
  readonly service: BenchService;
  /** The accounts that send the requests, each with a token. */
  readonly people: readonly { developer: Developer; token: string }[];
}

/** Requests that can be repeated. */
const requests: Readonly<Record<string, { path: string; body?: object; by: "token" | "ID token" }>> = {
  "GET /me by token": { path: "/me", by: "token" },
  "GET /me by ID token": { path: "/me", by: "ID token" },
  "POST /tokens": { path: "/tokens", body: { name: "one more", scopes: ["publish"] }, by: "ID token" },
};

interface Row {
  readonly request: string;
  readonly population: Population;
  readonly latency: Comparison;
}

async function measure({ isQuick }: Effort): Promise<Measurement> {
  const inhabited: Partial<Record<Population, FilledService>> = {};
  try {
    for (const name of names) {
      const service = await startService();
      inhabited[name] = { service: { ...service, actors: actorsOf(service) }, people: [] };
      inhabited[name] = await fillService(inhabited[name], populations[name], isQuick ? 1_000 : 1);
    }
    const rows: Row[] = [];
    for (const request of Object.keys(requests))
      rows.push(...(await measureRequest(request, inhabited as Record<Population, FilledService>, isQuick ? 1 : 15)));
    return resultOf(rows);
  } finally {
    for (const each of Object.values(inhabited)) await each.service.stop();
  }
}

async function fillService(
  { service }: FilledService,
  { accounts, tokensEach }: (typeof populations)[Population],
  divisor: number,
): Promise<FilledService> {
  await fillTable(service, accounts / divisor);
  const people = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const developer = await service.actors.developer();
      const token = await developer.token();
      await token.get("/me");
      for (let count = 1; count < tokensEach; count += 1) await developer.token();
      return { developer, token: token.credential };
    }),
  );
  return { service, people };
}

async function measureRequest(
  request: string,
  inhabited: Record<Population, FilledService>,
  rounds: number,
): Promise<Row[]> {
  const { path, body, by } = requests[request] as (typeof requests)[string];
  const contender =
    ({ service, people }: FilledService) =>
    async () => {
      const times: number[] = [];
      // Requests that create a token run once a round: an account has at most 50 active tokens.
      for (let repeat = body === undefined ? 20 : 1; repeat > 0; repeat -= 1)
        for (const { developer, token } of people) {
          const started = performance.now();
          await send(service.api + path, by === "token" ? token : developer.credential, body);
          times.push(performance.now() - started);
        }
      return { milliseconds: median(times) };
    };
  const contenders = Object.fromEntries(names.map((name) => [name, contender(inhabited[name])])) as Record<
    Population,
    () => Promise<{ milliseconds: number }>
  >;
  const series = await inTurn(contenders, { rounds, warmUps: 2 });
  return names.map((population) => {
    const latency = compare(series[population].milliseconds, series.few.milliseconds);
    console.log(`${request}, ${populations[population].name}: ${number(latency.ours)} ms`);
    return { request, population, latency };
  });
}

async function send(url: string, credential: string, body?: object): Promise<void> {
  const headers = { authorization: `Bearer ${credential}`, "content-type": "application/json" };
  const response = await fetch(
    url,
    body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) },
  );
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url} responded with ${response.status}`);
}

function resultOf(rows: readonly Row[]): Measurement {
  const of = (wanted: Population) =>
    rows.find(({ request, population }) => request === "GET /me by token" && population === wanted) as Row;
  return {
    figures: {
      [figures.many]: ratioFigure(of("many").latency),
      [figures.tokens]: ratioFigure(of("tokens").latency),
    },
    table: {
      head: ["request, table", "ms", `beside ${populations.few.name}`],
      rows: rows.map(({ request, population, latency }) => [
        `${request}, ${populations[population].name}`,
        number(latency.ours),
        population === "few" ? "" : ratioText(latency),
      ]),
    },
  };
}
