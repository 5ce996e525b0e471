import { readFile, writeFile } from "node:fs/promises";
import { type Area, type Figure, type Measurement, number, type Table, type Target } from "../area.ts";

const resultsPath = new URL("../results.json", import.meta.url);
const pagePath = new URL("../RESULTS.md", import.meta.url);

/** The last measurement of an area, with its texts on the page. */
export interface Result extends Measurement, Pick<Area, "title" | "method" | "decides" | "targets"> {
  /** RFC 3339. */
  readonly date: string;
  /** With `+` if there were uncommitted changes. */
  readonly commit: string;
  readonly machine: string;
  /** The load average of the minute before. */
  readonly loadBefore: string;
}

/** Results by the names of their areas. */
export type Results = Readonly<Record<string, Result>>;

/**
 * Replaces an area's result in lab/bench/results.json and in lab/bench/RESULTS.md.
 *
 * @param options.write false: nothing is written
 * @returns the area's part of the page
 */
export async function recordResult(
  area: Area,
  measured: Omit<Result, "title" | "method" | "decides" | "targets">,
  options: { write: boolean },
): Promise<string> {
  const { name, title, method, decides, targets } = area;
  const result = { title, method, decides, targets, ...measured };
  if (options.write) {
    const former = JSON.parse(await readFile(resultsPath, "utf8").catch(() => "{}")) as Results;
    const results = { ...former, [name]: result };
    await writeFile(resultsPath, `${JSON.stringify(results, undefined, 2)}\n`);
    await writeFile(pagePath, pageOf(results));
  }
  return `${figureTable({ [name]: result })}\n\n${sectionOf(result)}`;
}

const introduction = `# What it costs

\`npm run bench\` measures every area and writes this page; \`npm run bench -- cold cli\` measures those two alone.
Figures are medians. Contenders run in turn (A B A B …), a ratio is the median of the ratios pair by pair, and the interval
behind it holds it with 95 % confidence. These figures decide; all others stand with their areas below.
`;

/** The figures that an area promises by a target, or by deciding, and has not measured. */
export function unmeasured({ decides, targets }: Area, { figures }: Measurement): string[] {
  const promised = new Set([...decides, ...Object.keys(targets)]);
  return [...promised].filter((name) => !Number.isFinite(figures[name]?.value));
}

/** The page: the figures that decide, how each area is measured with its other figures, and its details. */
export function pageOf(results: Results): string {
  const sorted = Object.fromEntries(Object.entries(results).toSorted(([a], [b]) => a.localeCompare(b)));
  const sections = Object.entries(sorted).map(
    ([name, result]) => `${sectionOf(result)}\n${figureTable({ [name]: result })}\n`,
  );
  return [introduction, `${figureTable(sorted, { onlyDeciding: true })}\n`, ...sections].join("\n");
}

function figureTable(results: Results, { onlyDeciding = false } = {}): string {
  const rows = Object.values(results).flatMap(({ figures, decides, targets, commit }) =>
    Object.entries(figures)
      .filter(([name]) => !onlyDeciding || decides.includes(name))
      .map(([name, figure]) => {
        const target = targets[name];
        const most = target === undefined ? "" : `≤ ${withUnit(target.atMost, figure.unit)}`;
        return [name, figureText(figure), most, verdictOf(figure, target), commit];
      }),
  );
  return markdownTable({ head: ["figure", "measured", "target", "", "commit"], rows });
}

function verdictOf({ value, range }: Figure, target: Target | undefined): string {
  if (target === undefined) return "";
  const isClose = range !== undefined && range[0] <= target.atMost && range[1] > target.atMost;
  if (value <= target.atMost) return isClose ? "held, within the noise" : "held";
  return `goal not met: ${target.reasonNotMet ?? "why is not known yet"}`;
}

function figureText({ value, unit, range }: Figure): string {
  const interval = range === undefined ? "" : ` (${range.map((bound) => bound.toFixed(2)).join("–")})`;
  return `${withUnit(value, unit)}${interval}`;
}

function withUnit(value: number, unit: string): string {
  return unit === "" ? number(value) : `${number(value)} ${unit}`;
}

function sectionOf({ title, method, table, date, commit, machine, loadBefore }: Result): string {
  const details = table === undefined ? "" : `${markdownTable(table)}\n\n`;
  const time = `${date.slice(0, 16).replace("T", " ")} UTC`;
  return `## ${title}

${method}

${details}<sub>${time}, commit ${commit}, ${machine}, load average ${loadBefore} before it began</sub>
`;
}

/** Every column but the first is aligned to the right. */
function markdownTable({ head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, index) => (index === 0 ? "---" : "---:"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}
