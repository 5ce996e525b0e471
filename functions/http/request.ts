import type { APIGatewayProxyEventV2 } from "aws-lambda";
import * as z from "zod/mini";
import { limits } from "../../contract/api/limits.ts";
import type { Route } from "../../contract/api/route.ts";
import { ServiceError } from "../domain/service-error.ts";
import { invalidPlaces } from "./invalid-places.ts";

type Output<Schema> = Schema extends z.core.$ZodType ? z.output<Schema> : undefined;

/** The parts of a request that the route's schemas describe, after the check. */
export interface ParsedRequest<R extends Route> {
  readonly params: Output<R["params"]>;
  readonly query: Output<R["query"]>;
  readonly body: Output<R["body"]>;
}

/**
 * Checks path and query parameters.
 *
 * @throws ServiceError `invalid_parameters` with the invalid places
 */
export function parseParameters<R extends Route>(
  route: R,
  event: APIGatewayProxyEventV2,
): Pick<ParsedRequest<R>, "params" | "query"> {
  const params = check(route.params, event.pathParameters ?? {}, "invalid_parameters");
  const query = check(route.query, event.queryStringParameters ?? {}, "invalid_parameters");
  return { params, query } as Pick<ParsedRequest<R>, "params" | "query">;
}

/**
 * Checks the JSON body; a route without a schema ignores it.
 *
 * @throws ServiceError `payload_too_large`, `unsupported_media_type`, `malformed_json`; `validation_failed` with the
 *   invalid places, unknown fields among them
 */
export function parseBody<R extends Route>(route: R, event: APIGatewayProxyEventV2): ParsedRequest<R>["body"] {
  if (route.body === undefined) return undefined as ParsedRequest<R>["body"];
  const bytes = bodyBytes(event);
  const limit = bodyLimit(route);
  if (bytes.byteLength > limit) throw new ServiceError("payload_too_large");
  const isLeftOut = bytes.byteLength === 0 && route.bodyOptional;
  if (!isLeftOut) assertMediaType(event.headers, route.reportsBody ? "application/reports+json" : "application/json");
  return check(route.body, isLeftOut ? {} : parseJson(bytes), "validation_failed") as ParsedRequest<R>["body"];
}

function bodyLimit({ manifestBody, reportsBody }: Route): number {
  if (reportsBody) return limits.reportsBodyBytes;
  return manifestBody ? limits.manifestBodyBytes : limits.jsonBodyBytes;
}

/** The body as it was sent. */
export function bodyBytes(event: APIGatewayProxyEventV2): Buffer {
  return Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
}

function assertMediaType(
  headers: APIGatewayProxyEventV2["headers"],
  wanted: "application/json" | "application/reports+json",
): void {
  const encoding = headers["content-encoding"] ?? "identity";
  const [, type] = headers["content-type"]?.trim().match(/^([\w/+]+)\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i) ?? [];
  if (type?.toLowerCase() !== wanted || encoding.toLowerCase() !== "identity")
    throw new ServiceError("unsupported_media_type");
}

/** JSON in UTF-8. A byte order mark is ignored (RFC 8259, section 8.1): editors and shells of Windows write one. */
function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new ServiceError("malformed_json");
  }
}

function check(schema: z.core.$ZodType | undefined, value: unknown, code: "invalid_parameters" | "validation_failed") {
  if (schema === undefined) return undefined;
  const result = z.safeParse(schema, value, { reportInput: true });
  if (!result.success) throw new ServiceError(code, { errors: invalidPlaces(result.error.issues) });
  return result.data;
}
