import type { ProfileSummary } from "./telemetry-summary.ts";

/** From best to worst. */
const ratings = ["smooth", "playable", "poor"] as const;
export type Rating = (typeof ratings)[number];

/** A profile in a word, and the three numbers that decide on it. */
export interface Verdict {
  /** That of the worst of the three. */
  readonly rating: Rating;
  readonly word: string;
  readonly reasons: readonly { readonly rating: Rating; readonly text: string }[];
}

interface Measure {
  readonly of: (summary: ProfileSummary) => number;
  /** The worst value that is still smooth, and still playable. */
  readonly limits: readonly [smooth: number, playable: number];
  readonly inWords: (value: number) => string;
}

/** Frames a second come first: whoever has too few of them plays a slow game, whatever else it does. */
const measures: readonly Measure[] = [
  {
    of: ({ framesPerSecond }) => -framesPerSecond,
    limits: [-55, -28],
    inWords: (value) => `${Math.round(-value)} fps on average`,
  },
  {
    of: ({ hitchesPerMinute }) => hitchesPerMinute,
    limits: [2, 20],
    inWords: (value) => `${oneDigit(value)} ${oneDigit(value) === 1 ? "hitch" : "hitches"} a minute`,
  },
  {
    of: ({ timeOver33 }) => timeOver33,
    limits: [0.02, 0.25],
    inWords: (value) => `${oneDigit(value * 100)} % of the time above 33 ms`,
  },
];

/** Below ten with a digit after the point, so that little is not nothing. */
const oneDigit = (value: number) => (value < 10 ? Math.round(value * 10) / 10 : Math.round(value));

/** Rates a profile by its mean frames a second, its hitches a minute and its share of time in slow frames: the worst of them counts. */
export function verdictOf(summary: ProfileSummary): Verdict {
  const reasons = measures.map(({ of, limits: [smooth, playable], inWords }) => {
    const value = of(summary);
    const rating: Rating = value <= smooth ? "smooth" : value <= playable ? "playable" : "poor";
    return { rating, text: inWords(value) };
  });
  const rating = ratings.findLast((each) => reasons.some((reason) => reason.rating === each)) ?? "smooth";
  const isSlow = reasons[0]?.rating === "poor";
  return {
    rating,
    word: { smooth: "Smooth", playable: "Playable", poor: isSlow ? "Slow" : "Stutters" }[rating],
    reasons,
  };
}
