import type { Notice } from "../../../contract/notice.ts";

/** Writes notices to the function's log, one JSON line each: what the local service does, which has no bus. */
export async function sendToLog(notices: readonly Notice[]): Promise<ReadonlySet<string>> {
  const timestamp = new Date().toISOString();
  for (const notice of notices)
    process.stdout.write(`${JSON.stringify({ timestamp, level: "info", message: "Notice", notice })}\n`);
  return new Set();
}
