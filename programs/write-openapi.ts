import "./contract-options.ts";
import { writeFile } from "node:fs/promises";
import { agentDocuments, localStage, summariesOf } from "../contract/documents/agent-documents.ts";
import { openApiDocument } from "../contract/documents/openapi.ts";
import { COMMANDS } from "./cli.ts";

/*
 * Run by `npm run openapi` after every change of the contract, and of a command's summary; tests compare the files with what they are made of.
 */
const commands = summariesOf(COMMANDS);
const files = {
  "contract/documents/openapi.json": asJson(openApiDocument()),
  "contract/documents/commands.json": asJson(commands),
  // Beside README.md, for a clone of the repository: with the URLs of `npm start`.
  "llms.txt": agentDocuments(localStage, commands)["llms.txt"],
};
for (const [path, text] of Object.entries(files)) await writeFile(new URL(`../${path}`, import.meta.url), text);

function asJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
