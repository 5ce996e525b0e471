/*
 * The content of svc.toml, as the command line and the dashboard read it.
 */
import { parse, TomlError } from "smol-toml";
import { limits } from "../api/limits.ts";
import {
  type Frame,
  frameOriginProblem,
  type Isolation,
  patternProblem,
  preloadProblem,
  type ReleaseSettings,
} from "../api/releases/release-settings.ts";
import { tokenLike } from "../api/tokens/token-format.ts";
import type { Advice } from "./advice.ts";

/** The content of svc.toml. */
export interface ProjectFile {
  readonly project?: string;
  /** The folder to publish, relative to svc.toml. */
  readonly dir?: string;
  /** Patterns of files that are not published, in the syntax of .svcignore. */
  readonly ignore?: readonly string[];
  /** Whether the game's responses have the headers that threads need (COOP and COEP), and which COEP. */
  readonly isolation?: Isolation;
  /** Patterns of paths whose content never changes: browsers cache them for a year. */
  readonly immutable?: readonly string[];
  /** Whether pages without a file get /index.html. */
  readonly spa?: boolean;
  /** Sites that may show the game in a frame. */
  readonly frame?: Frame;
  /** Paths of files that browsers load with each page. */
  readonly preload?: readonly string[];
  /** Whether large files are loaded by their content, so that players load what has changed. */
  readonly updates?: ReleaseSettings["updates"];
  /** Patterns of files named .gz or .br that the game decompresses itself. */
  readonly raw?: readonly string[];
  /** Patterns of files that are sent without a Brotli copy. */
  readonly uncompressed?: readonly string[];
}

export const projectFileName = "svc.toml";
export const projectFileKeys: readonly string[] = [
  "project",
  "dir",
  "ignore",
  "isolation",
  "immutable",
  "spa",
  "frame",
  // The dashboard's word for the same.
  "embedding",
  "preload",
  "updates",
  "raw",
  "uncompressed",
];

/**
 * Advice about each svc.toml and .svcignore in what is published that nobody reads, although somebody wrote it for something.
 *
 * @param leftOut paths in the folder that is published
 * @param isTopRead whether the svc.toml at its top is the one that is read
 */
export function unreadSettings(leftOut: readonly string[], isTopRead: boolean): Advice[] {
  return leftOut
    .filter((path) => /(?:^|\/)(?:svc\.toml|\.svcignore)$/.test(path))
    .filter((path) => path.includes("/") || (path === projectFileName && !isTopRead))
    .map((path) => ({ code: "settings_file_unread", places: [path] }));
}

/** Problem with a svc.toml; the message continues a sentence that begins with the file's name. */
export class ProjectFileProblem extends Error {
  readonly code: "invalid_project_file" | "token_in_project_file" | "api_in_project_file";
  /** The key that is none, which may be a mistyped one. */
  readonly unknownKey: string | undefined;

  constructor(why: string, code: ProjectFileProblem["code"] = "invalid_project_file", unknownKey?: string) {
    super(why);
    this.code = code;
    this.unknownKey = unknownKey;
  }
}

/**
 * Reads the text of a svc.toml.
 *
 * @throws ProjectFileProblem for invalid TOML, an unknown key, a token, or an API URL: with that, a pull request could send the
 *   publisher's token to another server
 */
export function parseProjectFile(text: string): ProjectFile {
  if (tokenLike.test(text))
    throw new ProjectFileProblem(
      "contains a token. Everybody who can read the repository can use it: revoke it, then save another with svc login.",
      "token_in_project_file",
    );
  return check(parseToml(text));
}

function parseToml(text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const why = (error.message.split("\n")[0] ?? "").replace("Invalid TOML document: ", "");
    const hint = /escape/.test(why) ? ' Write "/" between folders, also on Windows: dir = "build/web".' : "";
    throw new ProjectFileProblem(`is not valid TOML in line ${error.line}, column ${error.column}: ${why}.${hint}`);
  }
}

function check(table: Record<string, unknown>): ProjectFile {
  for (const key of Object.keys(table)) checkKey(key);
  const { project, dir, ignore, isolation, immutable, spa, preload, updates, raw, uncompressed, embedding } = table;
  if (embedding !== undefined && table["frame"] !== undefined)
    throw invalid("has both embedding and frame, which are one setting.");
  const frame = embedding ?? table["frame"];
  if (project !== undefined && typeof project !== "string") throw invalid("must have a string as project.");
  if (dir !== undefined && typeof dir !== "string") throw invalid("must have a string as dir.");
  if (ignore !== undefined && !isListOfStrings(ignore)) throw invalid("must have a list of strings as ignore.");
  if (isolation !== undefined && typeof isolation !== "boolean" && isolation !== "credentialless")
    throw invalid('must have true, false or "credentialless" as isolation.');
  if (spa !== undefined && typeof spa !== "boolean") throw invalid("must have true or false as spa.");
  if (updates !== undefined && updates !== "content" && updates !== "whole")
    throw invalid('must have "content" or "whole" as updates.');
  return {
    ...(project !== undefined && { project }),
    ...(dir !== undefined && { dir }),
    ...(ignore !== undefined && { ignore }),
    ...(isolation !== undefined && { isolation }),
    ...(immutable !== undefined && { immutable: checkedTexts("immutable", immutable, patterns) }),
    ...(spa !== undefined && { spa }),
    ...(frame !== undefined && { frame: checkedFrame(frame) }),
    ...(preload !== undefined && { preload: checkedTexts("preload", preload, preloaded) }),
    ...(updates !== undefined && { updates }),
    ...(raw !== undefined && { raw: checkedTexts("raw", raw, patterns) }),
    ...(uncompressed !== undefined && { uncompressed: checkedTexts("uncompressed", uncompressed, patterns) }),
  };
}

function checkKey(key: string): void {
  if (/token|secret|password/i.test(key))
    throw new ProjectFileProblem(
      `must not contain a token (${key}). Save it with svc login, or set SVC_TOKEN in the publish step.`,
      "token_in_project_file",
    );
  if (/^(api|url|host|server|endpoint)/i.test(key))
    throw new ProjectFileProblem(`must not choose the API (${key}). Use --api or SVC_API.`, "api_in_project_file");
  if (!projectFileKeys.includes(key))
    throw new ProjectFileProblem(`has the unknown key ${key}.`, "invalid_project_file", key);
}

function isListOfStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function checkedFrame(frame: unknown): Frame {
  if (frame === "everybody" || frame === "nobody") return frame;
  if (!isListOfStrings(frame)) throw invalid('must have "everybody", "nobody" or a list of origins as embedding.');
  if (frame.length > limits.frameOrigins)
    throw invalid(`must have at most ${limits.frameOrigins} origins as embedding.`);
  for (const origin of frame) {
    const problem = frameOriginProblem(origin);
    if (problem !== undefined) throw invalid(`has an origin in embedding that ${problem}: ${origin}`);
  }
  return frame;
}

interface TextRule {
  readonly noun: "path" | "pattern";
  readonly maxTexts: number;
  problemOf(text: string): string | undefined;
}

const preloaded: TextRule = { noun: "path", maxTexts: limits.preloadedFiles, problemOf: preloadProblem };
const patterns: TextRule = { noun: "pattern", maxTexts: limits.immutablePatterns, problemOf: patternProblem };

function checkedTexts(
  key: "immutable" | "preload" | "raw" | "uncompressed",
  texts: unknown,
  { noun, maxTexts, problemOf }: TextRule,
) {
  if (!isListOfStrings(texts)) throw invalid(`must have a list of strings as ${key}.`);
  if (texts.length > maxTexts) throw invalid(`must have at most ${maxTexts} ${noun}s as ${key}.`);
  for (const text of texts) {
    const problem = problemOf(text);
    if (problem !== undefined) throw invalid(`has a ${noun} in ${key} that ${problem}: ${text}`);
  }
  return texts;
}

function invalid(why: string): ProjectFileProblem {
  return new ProjectFileProblem(why);
}
