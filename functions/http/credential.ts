import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { tokenPrefix } from "../../contract/api/token-format.ts";
import type { Credential } from "../domain/authentication.ts";
import { ServiceError } from "../domain/service-error.ts";
import { RawToken } from "../domain/tokens/raw-token.ts";
import { verifyIdToken } from "../identity/id-token.ts";

/** One scheme, one token68 (RFC 6750, section 2.1); the scheme in any case (RFC 9110, section 11.1). */
const bearer = /^bearer +([\w.~+/-]+=*) *$/i;

/**
 * Reads the credential from the Authorization header, the only place for it. A value that begins with `pat_` is a personal
 * access token, anything else an ID token.
 *
 * @throws ServiceError `credential_missing`, `credential_malformed`, `token_invalid`, and those of {@link verifyIdToken}
 */
export async function readCredential(headers: APIGatewayProxyEventV2["headers"]): Promise<Credential> {
  const header = headers["authorization"];
  if (header === undefined || header.trim() === "") throw new ServiceError("credential_missing");
  const value = bearer.exec(header)?.[1];
  if (value === undefined) throw new ServiceError("credential_malformed");
  if (!value.startsWith(tokenPrefix)) return { kind: "idToken", person: await verifyIdToken(value) };
  const rawToken = RawToken.parse(value);
  if (rawToken === undefined) throw new ServiceError("token_invalid");
  return { kind: "token", rawToken };
}
