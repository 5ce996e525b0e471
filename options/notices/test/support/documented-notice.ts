import { readFileSync } from "node:fs";
import * as z from "zod";

const guide = readFileSync("docs/notices.md", "utf8");

/** The JSON Schema of docs/notices.md. */
export const documentedSchema = JSON.parse(/```json schema\n([\s\S]*?)```/.exec(guide)?.[1] ?? "");

/** A notice, as docs/notices.md describes it. */
export const documentedNotice = z.fromJSONSchema(documentedSchema);
