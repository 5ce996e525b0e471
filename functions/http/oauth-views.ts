import type * as z from "zod/mini";
import * as contract from "../../contract/oauth.ts";
import type { tokenSettings } from "../../contract/tokens.ts";
import { scopes } from "../../contract/tokens.ts";
import type { Approval, Exchanged } from "../domain/login/authorization-codes.ts";
import type { DeviceRequest } from "../domain/login/entities.ts";

/*
 * Views (see views.ts) of the OAuth routes.
 */

type Metadata = z.infer<(typeof contract.getAuthorizationServer)["responses"][200]>;
type TokenResponse = z.infer<(typeof contract.exchangeGrant)["responses"][200]>;
type DeviceRequestView = z.infer<(typeof contract.getDeviceRequest)["responses"][200]>;
type Settings = z.output<z.ZodMiniObject<typeof tokenSettings>>;

/** The origin that a request was sent to. The Host header is the stage's own, because API Gateway routes by it. */
export function originOf(headers: Readonly<Record<string, string | undefined>>): string {
  return `${headers["x-forwarded-proto"] ?? "https"}://${headers["host"]}`;
}

/** Without a dashboard there are no endpoints and no grant types, because nobody could approve a login. */
export function metadataView(issuer: string, dashboardOrigin: string | undefined): Metadata {
  const endpoints = dashboardOrigin && {
    authorization_endpoint: dashboardOrigin + contract.approvalPaths.authorization,
    device_authorization_endpoint: issuer + contract.requestDeviceCode.path,
    token_endpoint: issuer + contract.exchangeGrant.path,
  };
  return {
    issuer,
    ...endpoints,
    scopes_supported: [...scopes],
    response_types_supported: dashboardOrigin ? ["code"] : [],
    grant_types_supported: dashboardOrigin ? Object.values(contract.grantTypes) : [],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
  };
}

/** The token response (RFC 6749, section 5.1), which contains the raw token. */
export function tokenResponseView({ token, rawToken }: Exchanged, now: Date): TokenResponse {
  return {
    access_token: rawToken.reveal(),
    token_type: "Bearer",
    expires_in: Math.floor((Date.parse(token.expiresAt) - now.getTime()) / 1_000),
    scope: token.scopes.join(" "),
  };
}

export function deviceRequestView({ tokenName, scopes, createdAt, ttl }: DeviceRequest): DeviceRequestView {
  return {
    token_name: tokenName,
    scopes: [...scopes],
    requested_at: createdAt,
    expires_at: new Date(ttl * 1_000).toISOString(),
  };
}

export function approvalOf({ name, scopes, projects = null, expires_in_days }: Settings): Approval {
  return { name, scopes, projects, expiresInDays: expires_in_days };
}
