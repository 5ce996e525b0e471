import * as fs from "node:fs";
import { type Build, isScript, makesSharedMemory, readBytes } from "../../../contract/folder/build-advice.ts";
import type { LocalFile } from "./folder.ts";

/** The files of a folder on this machine, for contract/folder/build-advice.ts. */
export function buildOf(files: readonly LocalFile[]): Build {
  const page = files.find(({ path }) => path === "index.html");
  return {
    paths: files.map(({ path }) => path),
    index: () => page && textOf(page),
    sharedMemory: () => files.find((file) => isScript(file.path) && makesSharedMemory(textOf(file)))?.path,
  };
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
