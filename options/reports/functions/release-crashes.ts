import { limits } from "../../../contract/api/limits.ts";
import { releaseName } from "../../../edge/project/pointer.ts";
import { type Period, periodOf, type WantedPeriod } from "../../../functions/domain/projects/period.ts";
import type { WorseRelease } from "../../../functions/entities/notice.ts";
import type { Project } from "../../../functions/entities/project.ts";
import { readStatistics } from "../../../functions/table/projects/statistics-items.ts";
import { readReleases } from "../../../functions/table/releases/release-items.ts";
import { type CrashRate, isClearlyWorse } from "../contract/worse.ts";
import { readCrashes } from "./crash-items.ts";
import type { HourlyCrashes } from "./hourly-crashes.ts";

/** Crashes of a release on some days, beside its plays. */
export interface ReleaseCrashes {
  /** Without a number it was never live. */
  readonly release: { readonly id: string; readonly number: number | undefined };
  readonly crashes: number;
  readonly plays: number;
  readonly previews: number;
  readonly reasons: Readonly<Record<string, number>>;
  readonly devices: Readonly<Record<string, number>>;
  readonly engines: Readonly<Record<string, number>>;
}

/** Crashes of a project from one day to another, both included. */
export interface ProjectCrashes extends Period {
  /** The latest first. */
  readonly releases: readonly ReleaseCrashes[];
  /** The live release and the one before it, if it crashes clearly more often. */
  readonly worse: WorseRelease | undefined;
}

/** Releases that are read: more than a project keeps. */
const latestReleases = 200;

/**
 * The crashes of a project's releases, those that it still has. An earlier project of the same slug had others, so none of its crashes is told.
 *
 * @param wanted days as `2026-11-25`; no more than the last 92 of them are told
 */
export async function crashesOfReleases(
  { slug, currentRelease }: Project,
  wanted: WantedPeriod,
  now: Date,
): Promise<ProjectCrashes> {
  const { from, to } = periodOf(wanted, limits.crashRetentionDays, now);
  const [hours, days, { items: releases }] = await Promise.all([
    readCrashes(slug, from, to),
    readStatistics(slug, from, to),
    readReleases(slug, { limit: latestReleases }),
  ]);
  const crashesByName = Map.groupBy(hours, ({ release }) => release);
  const daysByName = Map.groupBy(days, ({ release }) => release);
  const all = releases.map(({ id, number, manifest }) => {
    const name = releaseName(manifest);
    const plays = (daysByName.get(name) ?? []).reduce((sum, of) => sum + of.firstPlays + of.repeatedPlays, 0);
    const ownHours = crashesByName.get(name) ?? [];
    return { ...countsOf({ id, number }, ownHours, plays), judged: judgedRate(ownHours, plays, now) };
  });
  const some = all.filter(({ crashes, plays, previews }) => crashes + plays + previews > 0);
  const ordered = some.toSorted((a, b) => numberOf(b) - numberOf(a));
  return { from, to, releases: ordered, worse: worseRelease(ordered, currentRelease?.id) };
}

/** The number of a release; one that was never live is the latest. */
function numberOf({ release: { number } }: Pick<ReleaseCrashes, "release">): number {
  return number ?? Number.POSITIVE_INFINITY;
}

function countsOf(release: ReleaseCrashes["release"], hours: readonly HourlyCrashes[], plays: number): ReleaseCrashes {
  const totalOf = (some: readonly HourlyCrashes[]) => some.reduce((sum, { total }) => sum + total, 0);
  const ofPreviews = hours.filter(({ isPreview }) => isPreview);
  return {
    release,
    crashes: totalOf(hours) - totalOf(ofPreviews),
    plays,
    previews: totalOf(ofPreviews),
    reasons: sumsByPart(hours, 0),
    devices: sumsByPart(hours, 1),
    engines: sumsByPart(hours, 2),
  };
}

/** Crashes by a part of `reason.device.engine`. */
function sumsByPart(hours: readonly HourlyCrashes[], part: number): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const hour of hours)
    for (const [combination, crashes] of Object.entries(hour)) {
      const parts = combination.split(".");
      const name = parts[part];
      if (parts.length === 3 && name !== undefined) sums[name] = (sums[name] ?? 0) + Number(crashes);
    }
  return sums;
}

function judgedRate(hours: readonly HourlyCrashes[], plays: number, now: Date): CrashRate {
  const until = new Date(now.getTime() - limits.crashesJudgedAfterHours * 3_600_000).toISOString().slice(0, 13);
  const judged = hours.filter(({ hour, isPreview }) => !isPreview && hour < until);
  return { crashes: judged.reduce((sum, { total }) => sum + total, 0), plays };
}

/** The live release and the played one of the next lower number, if the live one is clearly worse. */
function worseRelease(
  ordered: readonly (ReleaseCrashes & { readonly judged: CrashRate })[],
  liveId: string | undefined,
): ProjectCrashes["worse"] {
  const played = ordered.flatMap(({ plays, judged, release: { id, number } }) =>
    plays > 0 && number !== undefined ? [{ judged, release: { id, number } }] : [],
  );
  const index = played.findIndex(({ release: { id } }) => id === liveId);
  const [of, before] = index === -1 ? [] : played.slice(index, index + 2);
  if (of === undefined || before === undefined || !isClearlyWorse(of.judged, before.judged)) return undefined;
  return { release: of.release, before: before.release };
}
