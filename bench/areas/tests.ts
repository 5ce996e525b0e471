import { fileURLToPath } from "node:url";
import { barChart } from "../harness/chart.ts";
import type { Effort } from "../harness/effort.ts";
import { measureProcess } from "../harness/processes.ts";
import { number, type Section } from "../harness/section.ts";
import { atMost, targetList } from "../harness/targets.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const mostSeconds = 120;

/** How long whoever changes svc waits for `npm test`: once, since it takes minutes. */
export async function tests({ isQuick }: Effort): Promise<Section> {
  const words = ["npm", "test", "--", ...(isQuick ? ["contract"] : [])];
  const { wallMilliseconds, processorMilliseconds } = await measureProcess({
    words,
    cwd: root,
    env: { HOME: process.env["HOME"] ?? "" },
  });
  const [seconds, processorSeconds] = [wallMilliseconds / 1_000, processorMilliseconds / 1_000];
  const targets = [atMost("`npm test`", seconds, mostSeconds, " s")];
  return {
    targets,
    markdown: `## The tests

\`${words.join(" ")}\` once, every test passed; ${number(processorSeconds)} s of processor time.

${targetList(targets)}

![Time of the tests](plots/tests.svg)`,
    plots: {
      "tests.svg": barChart({
        title: `npm test takes ${number(seconds)} s`,
        subtitle: "Seconds, beside what was promised; shorter is better",
        categories: ["npm test", "promised: at most"],
        series: { seconds: [seconds, mostSeconds] },
        label: (value) => `${number(value)} s`,
      }),
    },
  };
}
