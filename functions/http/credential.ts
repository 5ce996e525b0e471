import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { tokenPrefix } from "../../contract/api/tokens/token-format.ts";
import type { Credential } from "../domain/authentication.ts";
import { ServiceError } from "../domain/service-error.ts";
import { RawToken } from "../domain/tokens/raw-token.ts";
import { verifyIdToken } from "../identity/id-token.ts";
import { readBearer } from "./bearer.ts";

/**
 * Reads the credential from the Authorization header, the only place for it. A value that begins with `pat_` is a personal
 * access token, anything else an ID token.
 *
 * @throws ServiceError `token_invalid`, and those of {@link readBearer} and of {@link verifyIdToken}
 */
export async function readCredential(headers: APIGatewayProxyEventV2["headers"]): Promise<Credential> {
  const value = readBearer(headers);
  if (!value.startsWith(tokenPrefix)) return { kind: "idToken", person: await verifyIdToken(value) };
  const rawToken = RawToken.parse(value);
  if (rawToken === undefined) throw new ServiceError("token_invalid");
  return { kind: "token", rawToken };
}
