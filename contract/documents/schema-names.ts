import * as z from "zod/mini";
import { oauthError } from "../api/login/oauth.ts";
import { gatewayError, validationProblem } from "../api/problem.ts";
import { optionSchemas, routes } from "../api/routes.ts";
import { documentedRoutes } from "./documented-routes.ts";

type Schema = z.core.$ZodType;

/** The name of every schema that stands in OpenAPI's components, so that generated types have names. */
export const schemaNames = z.registry<{ id: string }>();

/** The schemas that have a name, and whether they are of requests or of responses. */
export const namedSchemas = new Map<Schema, { readonly id: string; readonly io: "input" | "output" }>();

/** A body's schema in the document: every body has a name. */
export function schemaReference(schema: Schema): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${namedSchemas.get(schema)?.id}` };
}

/** Prefix of the names of a route's own schemas. */
export function schemaPrefix(routeName: string): string {
  return `${routeName.charAt(0).toUpperCase()}${routeName.slice(1)}`;
}

function name(id: string, described: Schema, io: "input" | "output" = "output"): void {
  // Schema that about() was given: it stands at several places, each with its own description.
  const schema = (z.globalRegistry.get(described)?.description && described._zod.parent) || described;
  if (schemaNames.has(schema)) return;
  schemaNames.add(schema, { id });
  namedSchemas.set(schema, { id, io });
}

const account = routes.createSession.responses[200];
const me = routes.getMe.responses[200];
const opened = routes.createRelease.responses[201];

name("Problem", validationProblem);
name("OAuthError", oauthError);
name("GatewayError", gatewayError);
name("Account", account);
name("User", account.shape.user);
name("Developer", account.shape.developer);
name("Me", me);
name("Authentication", me.shape.auth);
name("PublicProfile", routes.getUser.responses[200]);
name("EventType", routes.listEvents.responses[200].shape.events.def.element.shape.type);
name("AccountEvent", routes.listEvents.responses[200].shape.events.def.element);
name("Token", routes.listTokens.responses[200].shape.tokens.def.element);
name("TokenWithActivity", routes.getToken.responses[200]);
name("CreatedToken", routes.createToken.responses[201]);
name("Project", routes.getProject.responses[200]);
name("Member", routes.updateMember.responses[200]);
name("ProjectToken", routes.updateProjectToken.responses[200]);
name("Invitation", routes.listMembers.responses[200].shape.invitations.def.element);
name("ReceivedInvitation", routes.getInvitation.responses[200]);
name("ProjectEvent", routes.listProjectEvents.responses[200].shape.events.def.element);
name("Publisher", routes.createPublisher.responses[200]);
// Generators write an option of a union as a file of its own, and some forget it when two routes meet the union.
const [githubPublisher, gitlabPublisher] = routes.createPublisher.responses[200].def.options;
name("GitHubPublisher", githubPublisher);
name("GitLabPublisher", gitlabPublisher);
name("ChangedProject", routes.unpublishProject.responses[200]);
name("OpenedRelease", opened);
name("Preview", routes.openPreview.responses[200].shape.preview);
name("PathChanges", opened.shape.added);
name("ReleaseChanges", routes.compareRelease.responses[200]);
name("Release", routes.getRelease.responses[200]);
name("Publication", routes.getRelease.responses[200].shape.published_by.def.innerType);
name("Suspension", routes.getProject.responses[200].shape.suspension.def.innerType);
name("Storage", routes.getProject.responses[200].shape.storage.def.innerType);
name("LastUse", routes.getToken.responses[200].shape.last_used_by.def.innerType);
name("ExportedToken", routes.exportMe.responses[200].shape.records.def.element.def.options[0].shape.token);
for (const [id, schema] of Object.entries(optionSchemas)) name(id, schema);
name("Health", routes.getHealth.responses[200]);

/** Bodies without a name of their own are called after their route: `CreateTokenRequest`, `ListTokensResponse`. */
for (const [routeName, { body, responses }] of documentedRoutes) {
  const prefix = schemaPrefix(routeName);
  if (body) name(`${prefix}Request`, body, "input");
  for (const schema of Object.values(responses)) if (schema) name(`${prefix}Response`, schema);
}
