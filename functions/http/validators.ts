import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { ServiceError } from "../domain/service-error.ts";
import type { Project } from "../entities/project.ts";
import { etagOf, isAmong } from "./etag.ts";
import { projectView } from "./views.ts";

type RequestHeaders = APIGatewayProxyEventV2["headers"];

/** Headers that tell one representation of a resource from another one, in a response (RFC 9110, section 8.8). */
type Validators = {
  readonly etag: string;
  /** Present for a resource that notes when it was changed. */
  readonly "last-modified"?: string;
};

/**
 * The validators of what a GET responds with. The ETag is a strong one: another body has another one.
 *
 * @param modifiedAt an RFC 3339 time
 */
export function validatorsOf(view: object, modifiedAt?: string): Validators {
  const etag = etagOf(Buffer.from(JSON.stringify(view)));
  return { etag, ...(modifiedAt !== undefined && { "last-modified": new Date(modifiedAt).toUTCString() }) };
}

/** Those of `GET /projects/:slug`. */
export function projectValidators(project: Project): Validators {
  return validatorsOf(projectView(project), project.updatedAt);
}

/** The response to a GET with its validators; 304 if the client has this representation (RFC 9110, section 13.1.2). */
export function validatedResponse<const Body>(body: Body, headers: Validators, request: RequestHeaders) {
  if (isAmong(headers.etag, request["if-none-match"])) return { status: 304 as const, headers, body: undefined };
  return { status: 200 as const, headers, body };
}

/**
 * Refuses a change that is based on another representation than the current one. If-Match compares strongly and comes first;
 * If-Unmodified-Since is ignored if it is no date, or if nothing is known of when the resource was changed (RFC 9110, sections
 * 13.1.1, 13.1.4 and 13.2.2).
 *
 * @throws ServiceError `precondition_failed`
 */
export function assertPreconditions(
  request: RequestHeaders,
  { etag, "last-modified": lastModified }: Validators,
): void {
  const { "if-match": ifMatch, "if-unmodified-since": since } = request;
  const isModified = Date.parse(lastModified ?? "") > Date.parse(since ?? "");
  const holds =
    ifMatch === undefined ? !isModified : ifMatch.split(",").some((tag) => [etag, "*"].includes(tag.trim()));
  if (!holds) throw new ServiceError("precondition_failed");
}
