import { writeFile } from "node:fs/promises";
import { openApiDocument } from "./openapi.ts";

// Run by `npm run openapi` after every change of the contract; a test compares the file with the routes.
await writeFile(new URL("openapi.json", import.meta.url), `${JSON.stringify(openApiDocument(), null, 2)}\n`);
