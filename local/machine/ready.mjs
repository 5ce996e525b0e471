/*
 * Loaded before the programs that people start: says what to do if this Node cannot run them, or `npm ci` has not run, in place of a stack
 * trace.
 */
import { existsSync } from "node:fs";
import { hasPackagedNode, isRecent, tooOld } from "./node-version.mjs";

const isInstalled = existsSync(new URL("../../node_modules/.package-lock.json", import.meta.url));
const fault = isRecent
  ? isInstalled || "The packages of svc are not installed. Run npm ci, then try again."
  : hasPackagedNode && !isInstalled
    ? `${tooOld} Run npm ci, which installs one for this folder, then try again.`
    : `${tooOld} Install a newer one (https://nodejs.org) and run npm ci, then try again.`;

if (fault !== true) {
  console.error(fault);
  process.exit(1);
}
