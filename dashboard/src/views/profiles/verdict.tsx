import { number } from "../../format.ts";
import type { Analysis } from "./analysis.ts";
import { verdictOf } from "./verdict.ts";

/** One sentence about a profile, before every number. */
export function Verdict({ analysis, device }: { analysis: Analysis; device: string | undefined }) {
  const verdict = verdictOf(analysis);
  if (verdict === undefined) return null;
  const { framesPerSecond, share, title, facts } = verdict;
  return (
    <section class="card verdict" aria-label="Verdict">
      <div class="ring">
        <svg viewBox="0 0 36 36" aria-hidden="true">
          <circle cx="18" cy="18" r="15.915" />
          <circle class="filled" cx="18" cy="18" r="15.915" stroke-dasharray={`${share * 100} 100`} />
        </svg>
        <span>{number(framesPerSecond)}</span>
      </div>
      <div>
        <h2 class="verdict-title">{title}</h2>
        <p class="meta">
          <span>
            {number(framesPerSecond)} fps
            {device && (
              <>
                {" "}
                on <bdi>{device}</bdi>
              </>
            )}
          </span>
          {facts.map((fact) => (
            <span key={fact}>{fact}</span>
          ))}
        </p>
      </div>
    </section>
  );
}
