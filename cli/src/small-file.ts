import * as fs from "node:fs";
import { textIn } from "../../contract/folder/text-encoding.ts";
import type { UserError } from "./errors.ts";
import { hasErrorCode, systemReason } from "./system-error.ts";

const largestBytes = 64 * 1024;

/**
 * Reads a text of at most 64 KiB, in UTF-8 or UTF-16; undefined if it does not exist. Does not read FIFOs and devices, which can be endless.
 *
 * @param refuse makes the error for a file that is not regular, is too long or cannot be read
 */
export function readSmallFile(file: string, refuse: (why: string) => UserError): string | undefined {
  let descriptor: number;
  try {
    descriptor = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw refuse(`cannot be read: ${systemReason(error)}.`);
  }
  try {
    const status = fs.fstatSync(descriptor);
    if (!status.isFile()) throw refuse("is not a regular file.");
    if (status.size > largestBytes) throw refuse("has more than 64 KiB.");
    return textIn(fs.readFileSync(descriptor));
  } finally {
    fs.closeSync(descriptor);
  }
}
