import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { home } from "../home.ts";
import { stages as examples } from "../stages.ts";
import { ConfigurationError, readStage, type Stage } from "./stage.ts";

/** The file of whoever deploys, which is no part of the repository, so that nobody needs a fork to change it. */
const ownFiles = ["svc.stages.ts", "svc.stages.json"];

/** File to which `npm run deploy` writes a stage that it has asked for. */
export const ownJsonFile = resolve(home, "svc.stages.json");

interface ConfiguredStages {
  /** As it is named in sentences. */
  readonly file: string;
  readonly stages: Readonly<Record<string, unknown>>;
  /** Whether the stages are the examples, which nobody can deploy. */
  readonly isExample?: boolean;
}

/**
 * The stages of a file, or else those of svc.stages.ts or svc.stages.json in the folder of the repository, or of whoever runs the package, or else the examples.
 *
 * @param path from the working directory: a JSON file whose fields are the stages, or a module that exports them as `stages`
 * @throws ConfigurationError if the file is missing or has no stages
 */
export function configuredStages(path?: unknown): ConfiguredStages {
  const ownFile = ownFiles.find((name) => existsSync(resolve(home, name)));
  if (typeof path === "string") return { file: path, stages: readFile(path, resolve(path)) };
  if (ownFile !== undefined) return { file: ownFile, stages: readFile(ownFile, resolve(home, ownFile)) };
  return { file: "infra/stages.ts", stages: examples, isExample: true };
}

/** The configuration of a stage of that file, as {@link readStage} reads it. */
export function readConfiguredStage(name: unknown, path?: unknown): Stage {
  const { file, stages } = configuredStages(path);
  return readStage(name, stages, file);
}

function readFile(name: string, path: string): Readonly<Record<string, unknown>> {
  if (!existsSync(path)) throw new ConfigurationError(`There is no file ${name}, which -c stages names.`);
  const content: unknown = path.endsWith(".json") ? parse(name, path) : createRequire(import.meta.url)(path).stages;
  if (typeof content === "object" && content !== null && !Array.isArray(content)) return { ...content };
  throw new ConfigurationError(`${name} has no stages: an object with a field for each, as in infra/stages.ts.`);
}

function parse(name: string, path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new ConfigurationError(`${name} is not JSON: ${(error as Error).message}.`);
  }
}
