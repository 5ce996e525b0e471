import { readFileSync } from "node:fs";

/* Plain JavaScript, because an older Node reads it. */

const { engines } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** The oldest Node that runs TypeScript as it is. */
export const leastVersion = engines.node.replace(">=", "");

export const isRecent = process.versions.node.localeCompare(leastVersion, "en", { numeric: true }) >= 0;

/** Whether npm has a Node for this machine: the package has a program for glibc. */
export const hasPackagedNode =
  process.platform === "linux" &&
  process.arch === "x64" &&
  Boolean(process.report.getReport().header.glibcVersionRuntime);

export const tooOld = `svc needs Node ${leastVersion} or later, and this is Node ${process.versions.node}.`;
