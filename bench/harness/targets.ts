import type { Comparison } from "./comparison.ts";
import { number, ratio, type Target, table } from "./section.ts";

/**
 * Holds a measurement, or the ratio of a comparison, against the most that it may be.
 *
 * @param unit written behind both numbers: ` ms`, ` ×`
 */
export function atMost(what: string, measured: number | Comparison, most: number, unit: string): Target {
  const value = typeof measured === "number" ? measured : measured.ratio;
  return {
    what,
    measured: (typeof measured === "number" ? number(measured) : ratio({ ...measured, isDecided: true })) + unit,
    promised: `at most ${number(most)}${unit}`,
    verdict: verdictOf(value, most) + (isClose(measured, most) ? ", within the noise" : ""),
  };
}

function verdictOf(value: number, most: number): string {
  if (value <= most) return "held";
  return most === 0 ? "missed" : `missed by ${number(((value - most) / most) * 100)} %`;
}

/** Whether another run may well come out on the other side. */
function isClose(measured: number | Comparison, most: number): boolean {
  return typeof measured !== "number" && measured.low <= most && measured.high > most;
}

/** The targets of a section, a line each. */
export function targetList(targets: readonly Target[]): string {
  return targets
    .map(({ what, measured, promised, verdict }) => `- ${what}: ${measured}; target ${promised}: ${verdict}.`)
    .join("\n");
}

/** The targets of all sections, each with a link to the heading that it stands under. */
export function targetTable(sections: readonly { heading: string; targets: readonly Target[] }[]): string {
  const rows = sections.flatMap(({ heading, targets }) =>
    targets.map(({ what, measured, promised, verdict }) => [
      `[${what}](#${anchorOf(heading)})`,
      measured,
      promised,
      verdict.startsWith("held") ? verdict : `**${verdict}**`,
    ]),
  );
  return table(["target", "measured", "promised", "verdict"], rows);
}

/** As GitHub makes it of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, "")
    .replaceAll(" ", "-");
}
