import { writeFile } from "node:fs/promises";
import { openApiDocument } from "./openapi.ts";

// Run by `npm run openapi` after every change of the contract; a test holds the file against the routes.
await writeFile(new URL("openapi.json", import.meta.url), `${JSON.stringify(openApiDocument(), null, 2)}\n`);
