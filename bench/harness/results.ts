import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Section, Target } from "./section.ts";
import { targetTable } from "./targets.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const resultsPath = join(root, "bench/RESULTS.md");
const plotsFolder = join(root, "bench/plots");

/** Where and when an area was measured. */
export interface Provenance {
  readonly startedAt: Date;
  readonly commit: string;
  readonly machine: string;
  readonly loadBefore: string;
  readonly seconds: number;
}

/** Puts an area's section into RESULTS.md in place of its former one, and its pictures beside it. */
export async function writeSection(
  area: string,
  order: readonly string[],
  section: Section,
  provenance: Provenance,
): Promise<void> {
  const sections = partsOf(await readFile(resultsPath, "utf8").catch(() => ""));
  const targets = `<!-- targets: ${JSON.stringify(section.targets ?? [])} -->`;
  sections.set(area, `${targets}\n${section.markdown.trim()}\n\n${provenanceLine(provenance)}\n`);
  await writeFile(resultsPath, pageOf(order, sections));
  await writePlots(area, section.plots);
  for (const [path, text] of Object.entries(section.documents ?? {})) await writeFile(join(root, path), text);
}

const introduction = `# What it costs

\`npm run bench\` writes this page and its pictures: everything again, side by side with what one would use instead, on
the machine that it runs on. \`npm run bench -- cold api\` measures those areas alone and leaves the other sections.

Contenders run in turn (A B A B …). A figure is the median of its rounds; a ratio is the median of the ratios pair by
pair, with the interval that holds it with 95 % confidence. *noise* behind a ratio means that this interval holds 1: the
difference is smaller than what the machine does by itself.
`;

/** The page: what was promised and whether it holds, then the sections of the areas in their order. */
export function pageOf(order: readonly string[], sections: ReadonlyMap<string, string>): string {
  const present = order.flatMap((area) => {
    const text = sections.get(area);
    return text === undefined ? [] : [{ area, text }];
  });
  const promises = present.map(({ text }) => ({ heading: headingOf(text), targets: targetsOf(text) }));
  const body = present.map(({ area, text }) => `<!-- area: ${area} -->\n${text}`);
  return [introduction, `## Targets\n\n${targetTable(promises)}\n`, ...body].join("\n");
}

/** The sections of a page by their areas: the reverse of {@link pageOf}. */
export function partsOf(page: string): Map<string, string> {
  const parts = page.split(/^<!-- area: (\w+) -->\n/m).slice(1);
  const sections = new Map<string, string>();
  for (let index = 0; index + 1 < parts.length; index += 2)
    sections.set(parts[index] as string, `${(parts[index + 1] as string).trim()}\n`);
  return sections;
}

/** A section keeps its targets beside its text, so that the table is whole after a run of a few areas. */
function targetsOf(text: string): readonly Target[] {
  return JSON.parse(/^<!-- targets: (.*) -->$/m.exec(text)?.[1] ?? "[]");
}

function headingOf(text: string): string {
  return /^## (.*)$/m.exec(text)?.[1] ?? "";
}

function provenanceLine({ startedAt, commit, machine, loadBefore, seconds }: Provenance): string {
  const time = `${startedAt.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return `<sub>${time} · commit ${commit} · ${machine} · load average ${loadBefore} before it began · took ${Math.round(seconds)} s</sub>`;
}

async function writePlots(area: string, plots: Section["plots"]): Promise<void> {
  await mkdir(plotsFolder, { recursive: true });
  const isStale = (file: string) => file.replace(/(-.*)?\.svg$/, "") === area && !(file in plots);
  for (const file of await readdir(plotsFolder)) if (isStale(file)) await rm(join(plotsFolder, file));
  for (const [file, svg] of Object.entries(plots)) await writeFile(join(plotsFolder, file), svg);
}
