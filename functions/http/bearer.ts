import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { ServiceError } from "../domain/service-error.ts";

/** One scheme, one token68 (RFC 6750, section 2.1); the scheme in any case (RFC 9110, section 11.1). */
const bearer = /^bearer +([\w.~+/-]+=*) *$/i;

/**
 * The value of the Authorization header, the only place for a credential.
 *
 * @throws ServiceError `credential_missing`, `credential_malformed`
 */
export function readBearer(headers: APIGatewayProxyEventV2["headers"]): string {
  const header = headers["authorization"];
  if (header === undefined || header.trim() === "") throw new ServiceError("credential_missing");
  const value = bearer.exec(header)?.[1];
  if (value === undefined) throw new ServiceError("credential_malformed");
  return value;
}
