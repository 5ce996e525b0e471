import { mkdir, rm, writeFile } from "node:fs/promises";
import { apiReference } from "./api-reference.ts";
import { openApiDocument } from "./openapi.ts";

// Run by `npm run openapi` after every change of the contract; a test compares all files with the routes.
await writeFile(new URL("openapi.json", import.meta.url), `${JSON.stringify(openApiDocument(), null, 2)}\n`);
const pages = new URL("../../docs/api/", import.meta.url);
await rm(pages, { recursive: true, force: true });
await mkdir(pages);
for (const [name, text] of Object.entries(apiReference())) await writeFile(new URL(name, pages), text);
