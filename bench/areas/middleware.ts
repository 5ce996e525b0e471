import { Logger } from "@aws-lambda-powertools/logger";
import { injectLambdaContext } from "@aws-lambda-powertools/logger/middleware";
import middy from "@middy/core";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import { getHealth } from "../../contract/service.ts";
import { apiVersion } from "../../contract/version.ts";
import { response, resultOf } from "../../functions/http/response.ts";
import { serveOpen } from "../../functions/http/serve-open.ts";
import { barChart } from "../harness/chart.ts";
import { compare } from "../harness/comparison.ts";
import type { Effort } from "../harness/effort.ts";
import { inTurn } from "../harness/rounds.ts";
import { number, type Section, table } from "../harness/section.ts";
import { atMost, targetList } from "../harness/targets.ts";
import { contextOf, eventOf } from "../stage/invocation.ts";

const targetMicroseconds = 8;

/**
 * What the middleware itself adds to a handler, without table and credentials: GET /health served by our stack, beside
 * the bare handler that gives the same response and beside other stacks around that.
 */
export async function middleware({ isQuick }: Effort): Promise<Section> {
  const requests = isQuick ? 2_000 : 20_000;
  const event = eventOf("getHealth", { path: "/health" });
  const context = contextOf("getHealth");
  const timed = (handler: (event: APIGatewayProxyEventV2, context: Context) => unknown) => async () => {
    const started = performance.now();
    for (let count = 0; count < requests; count += 1) await handler({ ...event }, context);
    return { microseconds: ((performance.now() - started) * 1_000) / requests };
  };
  const series = await inTurn(
    {
      bare: timed(bare),
      svc: timed(serveOpen(getHealth, run)),
      middyAlone: timed(middy({ timeoutEarlyInMillis: 0 }).handler(bare as never) as never),
      middyDefaults: timed(middy().handler(bare as never) as never),
      powertools: timed(
        middy()
          .use(injectLambdaContext(new Logger()))
          .handler(bare as never) as never,
      ),
    },
    { rounds: isQuick ? 5 : 21, warmUps: 3 },
  );
  const bareMicroseconds = series.bare.microseconds;
  const rows = Object.entries(names).map(([key, name]) => {
    const { microseconds } = series[key as keyof typeof names];
    const added = microseconds.map((value, index) => value - (bareMicroseconds[index] as number));
    const { ours } = compare(microseconds, bareMicroseconds);
    return { name, microseconds: ours, added: compare(added, added).ours };
  });
  return section(rows);
}

const names = {
  bare: "the bare handler",
  svc: "svc: every middleware of `functions/http/serve-open.ts`",
  middyAlone: "middy, no middleware, no early time-out",
  middyDefaults: "middy's defaults, no middleware",
  powertools: "middy's defaults with Powertools' `injectLambdaContext`",
};

const run = async () => response(200, { status: "ok" as const, version: apiVersion });

async function bare({ requestContext }: APIGatewayProxyEventV2) {
  return resultOf(getHealth, await run(), requestContext.requestId);
}

function section(rows: readonly { name: string; microseconds: number; added: number }[]): Section {
  const ours = rows.find(({ name }) => name === names.svc)?.added ?? Number.NaN;
  const targets = [atMost("what the middleware adds to a request", ours, targetMicroseconds, " µs")];
  return {
    targets,
    markdown: `## What the middleware adds

\`GET /health\` in process: no table, no credential.

${targetList(targets)}

![What the middleware adds](plots/middleware.svg)

${table(
  ["stack", "a request, µs", "added, µs"],
  rows.map(({ name, microseconds, added }) => [name, number(microseconds), number(added)]),
)}`,
    plots: {
      "middleware.svg": barChart({
        title: `The middleware adds ${number(ours)} µs to a request`,
        subtitle: "Microseconds that each stack adds to the bare handler of GET /health; shorter is better",
        categories: rows.slice(1).map(({ name }) => name.replaceAll("`", "")),
        series: { "added to the bare handler": rows.slice(1).map(({ added }) => added) },
        label: number,
      }),
    },
  };
}
