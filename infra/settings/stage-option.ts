import type * as z from "zod/mini";
import type { CoreRouteName, RouteName } from "../../contract/api/routes.ts";
import { access } from "../../functions/access.ts";
import type { Access } from "../../functions/permissions.ts";

/** The settings of options by their names: each option declares the schemas of its own as members of it. */
// biome-ignore lint/suspicious/noEmptyInterface: its members are declared where the settings are
export interface OptionSettings {}

/** Environment variables; undefined: the stage says nothing, and the function's own default holds. */
export type Variables = Readonly<Record<string, string | number | undefined>>;

/** Settings and functions of a stage that belong to an option. Each field but the first two may be left out. */
export interface StageOption {
  /** Its folder in options/, and the setting that leaves it out if it is false. */
  readonly name: string;
  readonly settings: Readonly<Record<string, z.ZodMiniType>>;
  /** Problems of a stage that otherwise only a deployment would find, a sentence each. */
  problems?(stage: object): readonly string[];
  /** The functions that it runs on schedules, by the names of their bundles. */
  readonly scheduled?: readonly string[];
  /** The same on a stage with a games domain alone. */
  readonly scheduledWithGames?: readonly string[];
  /** Those of them that two runs at once would spoil. */
  readonly oneAtATime?: readonly string[];
  /** The functions that a queue of it starts. */
  readonly queued?: readonly string[];
  /** The pages that it adds to each game's origin, by their paths. */
  readonly pages?: readonly string[];
  /** Headers that it adds to each page of a game that a person opens: DOCUMENT_HEADERS of edge/events/cloudfront.d.ts. */
  readonly documentHeaders?: Readonly<Record<string, string>>;
  /** Paths below which each game's origin passes requests on to the API, which has routes there. Each ends with a slash. */
  readonly apiPaths?: readonly string[];
  /** Set: its pages at the games' origins upload to the bucket, by URLs that its routes sign. */
  readonly playersUpload?: true;
  /** Those of them that are there while nothing of the game is live. */
  readonly offlinePages?: readonly string[];
  /** What the functions of its routes may do. */
  readonly access?: Readonly<Record<string, Access<string, string>>>;
  /** Partitions of its own that functions of the core read for it, by their routes. */
  readonly partitions?: Readonly<Partial<Record<CoreRouteName, readonly string[]>>>;
  /** The variables of its settings that `access` names. */
  readonly variables?: Readonly<Record<string, (stage: object) => Variables>>;
  /** What every function of a stage with it is told. */
  readonly environment?: Readonly<Record<string, string>>;
}

const options: StageOption[] = [];

/** Adds options to what a stage can have, once, before a program reads a stage. */
export function addToStages(added: readonly StageOption[]): void {
  options.push(...added);
}

/** The schemas of the settings that options add to a stage. */
export function optionSettings(): OptionSettings {
  return Object.assign({}, ...options.map(({ settings }) => settings));
}

/** Problems of a stage that options find, a sentence each. */
export function optionProblems(stage: object): string[] {
  return options.flatMap((option) => option.problems?.(stage) ?? []);
}

/** The names of the options that a stage leaves out. */
export function leftOutOptions(stage: object): string[] {
  return options.map(({ name }) => name).filter((name) => Reflect.get(stage, name) === false);
}

function optionsOf(stage: object): StageOption[] {
  const leftOut = leftOutOptions(stage);
  return options.filter(({ name }) => !leftOut.includes(name));
}

/** The functions that options add beside those of routes: to a stage, or to one that leaves out none. */
export function optionJobs(stage: object = {}) {
  const all = optionsOf(stage);
  return {
    scheduled: all.flatMap(({ scheduled = [] }) => scheduled),
    scheduledWithGames: all.flatMap(({ scheduledWithGames = [] }) => scheduledWithGames),
    oneAtATime: all.flatMap(({ oneAtATime = [] }) => oneAtATime),
    queued: all.flatMap(({ queued = [] }) => queued),
  };
}

/** The paths of the pages that the options of a stage add to each game's origin. */
export function optionPages(stage: object): string[] {
  return optionsOf(stage).flatMap(({ pages = [] }) => pages);
}

/** Headers that the options of a stage, by their names, add to each page of a game that a person opens. */
export function optionDocumentHeaders(stage: object): Record<string, Readonly<Record<string, string>>> {
  return Object.fromEntries(
    optionsOf(stage).flatMap(({ name, documentHeaders }) => (documentHeaders ? [[name, documentHeaders]] : [])),
  );
}

/** Paths below which the games' edge of a stage passes requests on to the API. */
export function optionApiPaths(stage: object): string[] {
  return optionsOf(stage).flatMap(({ apiPaths = [] }) => apiPaths);
}

/** Whether pages at the games' origins upload to the bucket. */
export function playersUpload(stage: object): boolean {
  return optionsOf(stage).some((option) => option.playersUpload);
}

/** Those of them that are there while nothing of the game is live. */
export function offlinePages(stage: object): string[] {
  return optionsOf(stage).flatMap(({ offlinePages: pages = [] }) => pages);
}

/** What the options of a stage tell every function. */
export function optionEnvironment(stage: object): Record<string, string> {
  return Object.assign({}, ...optionsOf(stage).map(({ environment }) => environment));
}

/** The variables of a setting of an option. */
export function optionVariables(setting: string): ((stage: object) => Variables) | undefined {
  return options.flatMap(({ variables = {} }) => variables[setting] ?? [])[0];
}

/** @throws Error for a route of an option that does not say what its function may do */
export function accessOf(route: RouteName): Access<string, string> {
  const routeAccess: Access<string, string> | undefined =
    options.flatMap(({ access: own = {} }) => own[route] ?? [])[0] ?? access[route as CoreRouteName];
  if (routeAccess === undefined) throw new Error(`The option of ${route} does not say what its function may do.`);
  const added = options.flatMap(({ partitions = {} }) => partitions[route as CoreRouteName] ?? []);
  return routeAccess.table === undefined
    ? routeAccess
    : { ...routeAccess, partitions: [...routeAccess.partitions, ...added] };
}
