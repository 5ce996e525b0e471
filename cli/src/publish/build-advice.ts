import * as fs from "node:fs";
import { type Build, isScript, makesSharedMemory, readBytes } from "../../../contract/folder/build-advice.ts";
import { headBytes, type PicturedFolder } from "../../../contract/folder/picture.ts";
import type { LocalFile } from "./folder.ts";

/** The files of a folder on this machine, for contract/folder/build-advice.ts. */
export function buildOf(files: readonly LocalFile[]): Build {
  const [page, json] = ["index.html", "package.json"].map((name) => files.find(({ path }) => path === name));
  return {
    paths: files.map(({ path }) => path),
    index: () => page && textOf(page, readBytes, "utf8"),
    packageJson: () => json && textOf(json, readBytes, "utf8"),
    sharedMemory: () =>
      files.find((file) => isScript(file.path) && makesSharedMemory(textOf(file, readBytes, "latin1")))?.path,
  };
}

/** The same, for contract/folder/picture.ts. */
export function picturedFolder(files: readonly LocalFile[]): PicturedFolder {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const read = (path: string) => {
    const file = byPath.get(path);
    return file === undefined ? "" : textOf(file, headBytes, "utf8");
  };
  return { files, read };
}

/** The beginning of a file; empty if it cannot be read. */
function textOf({ location }: LocalFile, bytes: number, encoding: "latin1" | "utf8"): string {
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(location, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
    const buffer = Buffer.alloc(Math.min(bytes, fs.fstatSync(descriptor).size));
    return buffer.toString(encoding, 0, fs.readSync(descriptor, buffer, 0, buffer.length, 0));
  } catch {
    return "";
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}
