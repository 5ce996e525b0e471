import * as contract from "../../contract/api/service.ts";
import { agentDocuments } from "../../contract/documents/agent-documents.ts";
import { commandLineUrl } from "../environment.ts";
import { documentOfOrigin } from "../http/document-response.ts";
import { serveOpen } from "../http/serve-open.ts";

const documentOf = (api: string) => agentDocuments({ api, commandLine: commandLineUrl() })["SKILL.md"];

const respond = documentOfOrigin(documentOf, "text/markdown; charset=utf-8");

export const handler = serveOpen(contract.getAgentSkill, async ({ headers }) => respond(headers));
