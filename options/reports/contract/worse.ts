/*
 * Whether a release crashes clearly more often than the one before it (docs/decisions/0080-crashes.md#when-a-release-is-clearly-worse).
 */

/** Crashes of a release, and how often it was played meanwhile. */
export interface CrashRate {
  readonly crashes: number;
  readonly plays: number;
}

/** Fewer plays than this of one of both say nothing. */
const minPlays = 20;
/** Fewer crashes than this may be one person's. */
const minCrashes = 5;
/** A rate that is less than this many times the other one is not worth a roll-back. */
const minRatio = 1.5;
/** The chance that a release which is no worse is called so, at whichever time somebody looks: all looks together. */
const falseShare = 0.005;

/**
 * Whether a release crashes more often than the one before, by an exact test: if both crash alike, each crash is one of this release's with the
 * chance of its share of all plays (Przyborowski and Wilenski 1940). It may be asked after each play: what may be false is divided among the
 * doublings of the plays.
 */
export function isClearlyWorse(of: CrashRate, before: CrashRate): boolean {
  if (Math.min(of.plays, before.plays) < minPlays || of.crashes < minCrashes) return false;
  if (of.crashes * before.plays < minRatio * before.crashes * of.plays) return false;
  const doublings = Math.floor(Math.log2(of.plays / minPlays));
  const share = of.plays / (of.plays + before.plays);
  const chance = chanceOfAtLeast(of.crashes, of.crashes + before.crashes, share);
  return chance <= falseShare / ((doublings + 1) * (doublings + 2));
}

/** The chance of at least so many successes in so many trials. */
function chanceOfAtLeast(successes: number, trials: number, chance: number): number {
  let logarithm =
    logChoose(trials, successes) + successes * Math.log(chance) + (trials - successes) * Math.log1p(-chance);
  let sum = 0;
  // From each term to the next one.
  for (let count = successes; count <= trials; count += 1) {
    const term = Math.exp(logarithm);
    sum += term;
    if (count > trials * chance && term < sum * 1e-12) break;
    logarithm += Math.log((trials - count) / (count + 1)) + Math.log(chance) - Math.log1p(-chance);
  }
  return sum;
}

/** The logarithm of the number of ways to choose. */
function logChoose(of: number, chosen: number): number {
  let sum = 0;
  for (let count = 1; count <= Math.min(chosen, of - chosen); count += 1) sum += Math.log((of - count + 1) / count);
  return sum;
}
