import { number } from "../../../dashboard/src/format.ts";
import { verdictOf } from "../contract/verdict.ts";
import type { Analysis } from "./analysis.ts";

const looks = { smooth: "good", playable: "fair", poor: "poor" } as const;

/** A profile in a word, with the numbers that decide on it, before all others. Nothing if no frame was measured. */
export function Verdict({
  analysis: { summary, frames },
  device,
}: {
  readonly analysis: Analysis;
  readonly device: string | undefined;
}) {
  if (summary === undefined) return null;
  const { rating, word, reasons } = verdictOf(summary);
  const first = frames[0];
  return (
    <section class={`card verdict ${looks[rating]}`} aria-label="Verdict">
      <div class="ring">
        <svg viewBox="0 0 36 36" aria-hidden="true">
          <circle cx="18" cy="18" r="15.915" />
          <circle
            class="filled"
            cx="18"
            cy="18"
            r="15.915"
            stroke-dasharray={`${(1 - summary.timeOver33) * 100} 100`}
          />
        </svg>
        <span>{number(summary.framesPerSecond)}</span>
      </div>
      <div>
        <h2 class="verdict-title">{word}</h2>
        <p class="meta">
          {reasons.map((reason) => (
            <span key={reason.text} class={looks[reason.rating]}>
              {reason.text}
            </span>
          ))}
        </p>
        <p class="meta">
          {device && <bdi>{device}</bdi>}
          <span>worst frame {number(summary.longest)} ms</span>
          {first && <span>first frame after {number(first.at / 1_000, 1)} s</span>}
        </p>
      </div>
    </section>
  );
}
