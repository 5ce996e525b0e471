import * as contract from "../../contract/api/service.ts";
import { agentDocuments } from "../../contract/documents/agent-documents.ts";
import { commandLineUrl } from "../environment.ts";
import { documentOfOrigin } from "../http/document-response.ts";
import { serveOpen } from "../http/serve-open.ts";

const documentOf = (api: string) => agentDocuments({ api, commandLine: commandLineUrl() })["llms.txt"];

const respond = documentOfOrigin(documentOf, "text/plain; charset=utf-8");

export const handler = serveOpen(contract.getAgentGuide, async ({ headers }) => respond(headers));
