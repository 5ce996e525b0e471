import { writeFile } from "node:fs/promises";
import { apiReference } from "./api-reference.ts";
import { openApiDocument } from "./openapi.ts";

// Run by `npm run openapi` after every change of the contract; a test compares both files with the routes.
await writeFile(new URL("openapi.json", import.meta.url), `${JSON.stringify(openApiDocument(), null, 2)}\n`);
await writeFile(new URL("../docs/api.md", import.meta.url), apiReference());
