import type * as z from "zod/mini";
import * as contract from "../../contract/api/login/oauth.ts";
import {
  type getAuthorizationServer,
  type getProtectedResource,
  grantTypes,
} from "../../contract/api/login/oauth-metadata.ts";
import { scopes } from "../../contract/api/tokens/scopes.ts";
import type { tokenSettings } from "../../contract/api/tokens/tokens.ts";
import type { Approval, IssuedToken } from "../domain/login/authorization-codes.ts";
import type { IssuedJobToken } from "../domain/publishers/exchange.ts";
import type { DeviceRequest } from "../entities/grant.ts";
import { timeOf } from "./views.ts";

/*
 * Views (see views.ts) of the OAuth routes.
 */

type Metadata = z.infer<(typeof getAuthorizationServer)["responses"][200]>;
type ProtectedResource = z.infer<(typeof getProtectedResource)["responses"][200]>;
type TokenResponse = z.infer<(typeof contract.exchangeGrant)["responses"][200]>;
type DeviceRequestView = z.infer<(typeof contract.getDeviceRequest)["responses"][200]>;
type Settings = z.output<z.ZodMiniObject<typeof tokenSettings>>;

/** Metadata. Without a dashboard nobody could approve a login: then only CI jobs get tokens here. */
export function metadataView(issuer: string, dashboardOrigin: string | undefined): Metadata {
  const endpoints = dashboardOrigin && {
    authorization_endpoint: dashboardOrigin + contract.approvalPaths.authorization,
    device_authorization_endpoint: issuer + contract.requestDeviceCode.path,
  };
  const { tokenExchange, ...approved } = grantTypes;
  return {
    issuer,
    ...endpoints,
    token_endpoint: issuer + contract.exchangeGrant.path,
    revocation_endpoint: issuer + contract.revokeTokenByForm.path,
    scopes_supported: [...scopes],
    response_types_supported: dashboardOrigin ? ["code"] : [],
    grant_types_supported: [...(dashboardOrigin ? Object.values(approved) : []), tokenExchange],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
  };
}

export function protectedResourceView(origin: string): ProtectedResource {
  return {
    resource: origin,
    authorization_servers: [origin],
    scopes_supported: [...scopes],
    bearer_methods_supported: ["header"],
  };
}

/** The token response (RFC 6749, section 5.1), which contains the raw token. */
export function tokenResponseView({ token, rawToken }: IssuedToken, now: Date): TokenResponse {
  return {
    access_token: rawToken.reveal(),
    token_type: "Bearer",
    expires_in: Math.floor((Date.parse(token.expiresAt) - now.getTime()) / 1_000),
    scope: token.scopes.join(" "),
  };
}

/** The same for a CI job (RFC 8693, section 2.2.1), with whose project it is. */
export function jobTokenResponseView(exchanged: IssuedJobToken, now: Date): TokenResponse {
  const { uid, name } = exchanged.owner;
  return {
    ...tokenResponseView(exchanged, now),
    issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
    owner: { uid, name },
  };
}

export function deviceRequestView({ tokenName, scopes, project, createdAt, ttl }: DeviceRequest): DeviceRequestView {
  return {
    token_name: tokenName,
    scopes: [...scopes],
    project: project ?? null,
    requested_at: createdAt,
    expires_at: timeOf(ttl),
  };
}

export function approvalOf({ name, scopes, projects = null, expires_in_days }: Settings): Approval {
  return { name, scopes, projects, expiresInDays: expires_in_days };
}
