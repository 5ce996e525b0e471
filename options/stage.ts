import type { Route } from "../contract/api/route.ts";
import { backup } from "./backup/stage.ts";
import { optionRoutes } from "./contract.ts";
import { notices } from "./notices/stage.ts";
import { profiles } from "./profiles/stage.ts";
import { statistics } from "./statistics/stage.ts";

/** Settings and functions of a stage that belong to an option. */
interface StageOption {
  /** Its folder in options/, and the setting that leaves it out if it is false. */
  readonly name: string;
  /** The functions that it runs on schedules, by the names of their bundles. */
  readonly scheduled?: readonly string[];
  /** The same on a stage with a games domain alone. */
  readonly scheduledWithGames?: readonly string[];
  /** Those of them that two runs at once would spoil. */
  readonly oneAtATime?: readonly string[];
  /** The functions that a queue of it starts. */
  readonly queued?: readonly string[];
  /** The pages that it adds to each game's origin, by their paths (options/origin.ts). */
  readonly pages?: readonly string[];
  /** Problems of a stage that otherwise only a deployment would find, a sentence each. */
  problems?(stage: object): readonly string[];
}

const options: readonly StageOption[] = [
  // A line each.
  backup,
  notices,
  profiles,
  statistics,
];

/** The settings that options add to a stage (infra/settings/stage.ts). */
export const optionSettings = {
  ...backup.settings,
  ...notices.settings,
  ...profiles.settings,
  ...statistics.settings,
};

/** The environment variables that functions have of settings of options. */
export const optionVariables = { ...statistics.variables };

/** The functions that options add beside those of routes: to a stage, or to one that leaves out none. */
export function optionJobs(stage: object = {}) {
  const leftOut = leftOutOptions(stage);
  const all = options.filter(({ name }) => !leftOut.includes(name));
  return {
    scheduled: all.flatMap(({ scheduled = [] }) => scheduled),
    scheduledWithGames: all.flatMap(({ scheduledWithGames = [] }) => scheduledWithGames),
    oneAtATime: all.flatMap(({ oneAtATime = [] }) => oneAtATime),
    queued: all.flatMap(({ queued = [] }) => queued),
  };
}

/** The paths of the pages that options add to each game's origin, without those that are left out. */
export function optionPages(leftOut: readonly string[]): string[] {
  return options.flatMap(({ name, pages = [] }) => (leftOut.includes(name) ? [] : pages));
}

/** The names of the options that a stage leaves out. */
export function leftOutOptions(stage: object): string[] {
  return options.map(({ name }) => name).filter((name) => Reflect.get(stage, name) === false);
}

/** The routes of options that are left out. */
export function routesOf(leftOut: readonly string[]): string[] {
  const all = Object.entries<Route>(optionRoutes);
  return all.flatMap(([name, { option }]) => (option !== undefined && leftOut.includes(option) ? [name] : []));
}

/** Problems of all options, a sentence each. */
export function optionProblems(stage: object): string[] {
  return options.flatMap((option) => option.problems?.(stage) ?? []);
}
