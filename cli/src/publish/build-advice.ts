import * as fs from "node:fs";
import * as path from "node:path";
import { storedEncodingOf } from "../../../contract/content-types.ts";
import type { Isolation, ReleaseSettings } from "../../../contract/release-settings.ts";
import type { LocalFile } from "./folder.ts";

/*
 * Warnings about mistakes of a build that players would notice. Only warnings, because regular expressions over HTML and
 * scripts can be wrong.
 */

/** One sentence for each likely mistake. */
export function adviceFor(
  files: readonly LocalFile[],
  { isolation, immutable }: Pick<ReleaseSettings, "isolation" | "immutable">,
): string[] {
  return [
    ...isolationAdvice(files, isolation),
    ...referenceAdvice(files),
    ...twiceAdvice(files),
    ...otherHostAdvice(files),
    ...(immutable.length > 0 ? [] : hashedNamesAdvice(files)),
  ];
}

/** A file name that only builds with threads of Godot and Emscripten have. */
const threadBuild = /(?:^|\/)[^/]+\.worker\.m?js$/;
/**
 * What makes shared memory. Many engines only mention SharedArrayBuffer, and play without it (Pyodide). Unity's loader makes
 * one page of memory to find out whether it can.
 */
const sharedMemory =
  /\bnew\s+SharedArrayBuffer\b|(?<!\binitial:1,maximum:1,)\bshared\s*:\s*(?:true|!0)\b|"?ensureCrossOriginIsolationHeaders"?\s*:\s*true/;
/** Enough to find an engine's loader, which is at the beginning of its script or page. */
const readBytes = 4 * 1024 * 1024;

function isolationAdvice(files: readonly LocalFile[], isolation: Isolation): string[] {
  if (isolation) return [];
  const worker = files.find(({ path: name }) => threadBuild.test(name));
  const script = files.find((file) => /\.(?:m?js|html?)$/i.test(file.path) && sharedMemory.test(textOf(file)));
  const found = worker ?? script;
  if (found === undefined) return [];
  const why = worker === undefined ? "makes shared memory" : "belongs to a build with threads";
  return [`${found.path} ${why}, so the game may need isolation = true in svc.toml.`];
}

/** Checks that each `src` and `href` of index.html names a file of the release. */
function referenceAdvice(files: readonly LocalFile[]): string[] {
  const page = files.find(({ path: name }) => name === "index.html");
  if (page === undefined) return [];
  const names = new Set(files.map(({ path: name }) => name));
  const folded = new Map(files.map(({ path: name }) => [name.toLowerCase(), name]));
  const html = textOf(page)
    .replace(/<!--.*?-->/gs, "")
    .replace(/(<script\b[^>]*>).*?<\/script>/gis, "$1");
  const references = [...html.matchAll(/<[a-z][^>]*?\s(?:src|href)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)];
  return [...new Set(references.map(([, double, single]) => double ?? single ?? ""))].flatMap((reference) => {
    const target = targetOf(reference);
    if (target === undefined || names.has(target) || names.has(path.posix.join(target, "index.html"))) return [];
    const actual = folded.get(target.toLowerCase());
    if (actual === undefined) return [`index.html refers to ${reference}, which is not in the folder.`];
    return [`index.html refers to ${reference}, but the file is named ${actual}: upper and lower case differ.`];
  });
}

/** The path in the release that a reference means; undefined for a URL of another origin, a fragment or a template. */
function targetOf(reference: string): string | undefined {
  if (reference === "" || /^(?:[a-z][a-z0-9+.-]*:|\/\/|#|\?)/i.test(reference) || reference.includes("{{"))
    return undefined;
  try {
    const { pathname } = new URL(reference, "http://game.invalid/");
    return decodeURIComponent(pathname).slice(1).normalize("NFC") || "index.html";
  } catch {
    return undefined;
  }
}

/** Unity leaves the files of the earlier build in the folder where the compression setting was changed. */
function twiceAdvice(files: readonly LocalFile[]): string[] {
  const inner = new Map<string, string[]>();
  for (const { path: name } of files.filter(({ path: own }) => own.startsWith("Build/") || own.includes("/Build/"))) {
    const key = storedEncodingOf(name)?.innerPath ?? name;
    inner.set(key, [...(inner.get(key) ?? []), name]);
  }
  const twice = [...inner.values()].filter((names) => names.length > 1);
  return twice.map(
    (names) =>
      `${names.join(" and ")} are the same file with different compression: remove those that the build does not use.`,
  );
}

/** Files that configure other hosts, and are usually beside the folder that a build wrote. */
const otherHosts = /^(?:netlify\.toml|vercel\.json|firebase\.json)$/;

function otherHostAdvice(files: readonly LocalFile[]): string[] {
  const found = files.map(({ path: name }) => name).filter((name) => otherHosts.test(name));
  if (found.length === 0) return [];
  const names = found.join(", ");
  return [`Published as files only, because they configure other hosts: ${names}. svc.toml has the settings here.`];
}

/** As bundlers name a file by its content: assets/index-DkA3x9b2.js. Without a digit it may be a word. */
const hashedName = /^(.+\/)[^/]+[-.](?=[\w-]*\d)[\w-]{8,}\.(?:m?js|css|wasm)$/;

/** The first folder of which all scripts, styles and WebAssembly are named by their content. */
function hashedNamesAdvice(files: readonly LocalFile[]): string[] {
  const code = files.map(({ path: name }) => name).filter((name) => /\/[^/]*\.(?:m?js|css|wasm)$/.test(name));
  const folderOf = (name: string) => hashedName.exec(name)?.[1];
  const example = code.find((name) => {
    const folder = folderOf(name);
    return folder !== undefined && code.every((other) => !other.startsWith(folder) || folderOf(other) !== undefined);
  });
  if (example === undefined) return [];
  const pattern = `${folderOf(example)}**`;
  return [`${example} is named by its content: with immutable = ["${pattern}"] in svc.toml browsers keep such files.`];
}

function textOf({ location }: LocalFile): string {
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(location, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
    const buffer = Buffer.alloc(Math.min(readBytes, fs.fstatSync(descriptor).size));
    return buffer.toString("latin1", 0, fs.readSync(descriptor, buffer, 0, buffer.length, 0));
  } catch {
    return "";
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}
