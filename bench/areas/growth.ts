import { routes } from "../../contract/routes.ts";
import { startService, type TestService } from "../../test/support/service.ts";
import { barChart } from "../harness/chart.ts";
import { type Comparison, compare } from "../harness/comparison.ts";
import type { Effort } from "../harness/effort.ts";
import { applyLoad } from "../harness/load.ts";
import { inTurn } from "../harness/rounds.ts";
import { number, ratio, type Section, type Target, table } from "../harness/section.ts";
import { targetList } from "../harness/targets.ts";
import type { ApiRequest } from "../stage/invocation.ts";
import { type Inhabitant, populate } from "../stage/population.ts";

const sampleSize = 10;

/** How full the tables are; the first is what the others are compared with. */
const populations = {
  ten: { name: "10 accounts", accounts: 10, tokensEach: 1 },
  thousand: { name: "1,000 accounts", accounts: 1_000, tokensEach: 1 },
  hundredThousand: { name: "100,000 accounts", accounts: 100_000, tokensEach: 1 },
  fiftyTokens: { name: "1,000 accounts, 50 tokens each", accounts: 1_000, tokensEach: 50 },
};
type Population = keyof typeof populations;

/** What requests do to somebody of a population; each may be sent again and again. */
const subjects: Readonly<
  Record<string, { route: "getMe" | "createToken"; request(stage: TestService, one: Inhabitant): Promise<ApiRequest> }>
> = {
  "GET /me by token": { route: "getMe", request: async (_, { token }) => ({ path: "/me", credential: token }) },
  "GET /me by ID token": {
    route: "getMe",
    request: async (stage, { uid }) => ({
      path: "/me",
      credential: await stage.idToken({ sub: uid, email: `${uid}@example.test`, email_verified: true }),
    }),
  },
  "POST /tokens": {
    route: "createToken",
    request: async (stage, { uid }) => ({
      path: "/tokens",
      credential: await stage.idToken({ sub: uid, email: `${uid}@example.test`, email_verified: true }),
      body: { name: "one more", scopes: ["publish"] },
    }),
  },
};

interface Row {
  readonly subject: string;
  readonly population: string;
  readonly latency: Comparison;
}

/** How a request's time grows with the table: one stage for each population, measured in turn. */
export async function growth({ isQuick }: Effort): Promise<Section> {
  const factor = isQuick ? 100 : 1;
  const stages = new Map<Population, TestService>();
  try {
    const people = new Map<Population, Inhabitant[]>();
    for (const [name, { accounts, tokensEach }] of Object.entries(populations) as [
      Population,
      typeof populations.ten,
    ][]) {
      const stage = await startService();
      stages.set(name, stage);
      people.set(name, await populate(stage, { accounts: Math.max(10, accounts / factor), tokensEach }, sampleSize));
    }
    const rows: Row[] = [];
    for (const subject of Object.keys(subjects))
      rows.push(...(await measure(subject, stages, people, isQuick ? 3 : 15)));
    return section(rows);
  } finally {
    for (const stage of stages.values()) await stage.stop();
  }
}

async function measure(
  subject: string,
  stages: ReadonlyMap<Population, TestService>,
  people: ReadonlyMap<Population, readonly Inhabitant[]>,
  rounds: number,
): Promise<Row[]> {
  const { route, request } = subjects[subject] as (typeof subjects)[string];
  const isRead = route === "getMe";
  const contender = async (population: Population) => {
    const stage = stages.get(population) as TestService;
    const each = await Promise.all((people.get(population) ?? []).map((one) => request(stage, one)));
    const requests = isRead ? Array.from({ length: 20 }, () => each).flat() : each;
    const { method } = routes[route];
    return async () => {
      const { latencies } = await applyLoad({ api: stage.api, method, requests, connections: 1 });
      return { milliseconds: latencies.percentile(50) / 1e6 };
    };
  };
  const names = Object.keys(populations) as Population[];
  const contenders = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await contender(name)] as const)),
  ) as Record<Population, () => Promise<{ milliseconds: number }>>;
  const series = await inTurn(contenders, { rounds, warmUps: 2 });
  return names.map((name) => {
    const latency = compare(series[name].milliseconds, series.ten.milliseconds);
    console.log(`${subject}, ${populations[name].name}: ${number(latency.ours)} ms`);
    return { subject, population: populations[name].name, latency };
  });
}

/** The slowest of the requests beside 10 accounts; it is only slower where the noise does not explain it. */
function targetOf(name: string, rows: readonly Row[]): Target {
  const of = rows.filter(({ population }) => population === name);
  const slowest = of.toSorted((a, b) => b.latency.ratio - a.latency.ratio)[0] as Row;
  const grown = of.filter(({ latency }) => latency.isDecided && latency.low > 1);
  return {
    what: `time of a request with ${name} beside 10 accounts, the slowest (${slowest.subject})`,
    measured: ratio(slowest.latency),
    promised: "no more than noise",
    verdict: grown.length === 0 ? "held" : `missed by ${grown.map(({ subject }) => subject).join(", ")}`,
  };
}

function section(rows: readonly Row[]): Section {
  const names = Object.values(populations).map(({ name }) => name);
  const grown = rows.filter(
    ({ population, latency }) => population !== names[0] && latency.isDecided && latency.low > 1,
  );
  const targets = names.slice(1).map((name) => targetOf(name, rows));
  return {
    targets,
    markdown: `## How it grows with the table

The median time of a request over one connection, on a stage whose table has so many accounts, against the stage with
10; the stages were measured in turn. Nothing scans, and nothing reads more than the items that it names, so the figures
must not grow with accounts. An account's own item grows with its active tokens, whose ids and expiries it holds (decision
2): of 50 tokens 30 are active here, about 1.5 kB more to read and take apart in each request, at the same price.

${targetList(targets)}

![Time of a request by the size of the table](plots/growth.svg)

${table(
  ["request", "table", "ms", "against 10 accounts"],
  rows.map(({ subject, population, latency }) => [
    subject,
    population,
    number(latency.ours),
    population === names[0] ? "" : ratio(latency),
  ]),
)}`,
    plots: {
      "growth.svg": barChart({
        title:
          grown.length === 0
            ? "A request takes as long in a full table as in an empty one"
            : "A request's time by the size of the table",
        subtitle: "Median milliseconds over one connection, by what the table holds; shorter is better",
        categories: Object.keys(subjects),
        series: Object.fromEntries(
          names.map((name) => [
            name,
            rows.filter(({ population }) => population === name).map(({ latency }) => latency.ours),
          ]),
        ),
        label: number,
      }),
    },
  };
}
