import { parentPort, workerData } from "node:worker_threads";
import { type HashJob, hashFiles } from "./hash-files.ts";

/** The second thread that hashes; it ends when no file is left. */
for (const _ of hashFiles(workerData as HashJob));
parentPort?.postMessage("done");
