import * as z from "zod/mini";
import { about, defineRoute } from "../route.ts";

/*
 * Metadata by which clients find svc's authorization server and API.
 */

/** URL path of the metadata from which svc's own clients learn all other URLs (RFC 8414, section 3). */
const metadataPath = "/.well-known/oauth-authorization-server";

export const grantTypes = {
  authorizationCode: "authorization_code",
  deviceCode: "urn:ietf:params:oauth:grant-type:device_code",
  tokenExchange: "urn:ietf:params:oauth:grant-type:token-exchange",
} as const;

export const getAuthorizationServer = defineRoute({
  method: "GET",
  path: metadataPath,
  summary: "Where and how command lines get tokens (RFC 8414)",
  tag: "Approvals",
  credential: "none",
  responses: {
    200: z.strictObject({
      issuer: about("The API's origin.", z.string(), "https://api.example"),
      authorization_endpoint: about(
        "The dashboard's page. This and the next one are absent if the stage has no dashboard.",
        z.optional(z.string()),
        "https://dashboard.example/authorize",
      ),
      device_authorization_endpoint: about(
        "RFC 8628.",
        z.optional(z.string()),
        "https://api.example/oauth/device_authorization",
      ),
      token_endpoint: about("RFC 6749.", z.string(), "https://api.example/oauth/token"),
      revocation_endpoint: about("RFC 7009.", z.string(), "https://api.example/oauth/revoke"),
      scopes_supported: about("What a token can be allowed to do.", z.array(z.string()), [
        "preview",
        "publish",
        "projects",
      ]),
      response_types_supported: about("`code` alone.", z.array(z.string()), ["code"]),
      grant_types_supported: about(
        "What the token endpoint exchanges.",
        z.array(z.string()),
        Object.values(grantTypes),
      ),
      code_challenge_methods_supported: about("`S256` alone (RFC 7636).", z.array(z.string()), ["S256"]),
      token_endpoint_auth_methods_supported: about("`none`: the client has no secret.", z.array(z.string()), ["none"]),
      revocation_endpoint_auth_methods_supported: about("`none`: the client has no secret.", z.array(z.string()), [
        "none",
      ]),
      authorization_response_iss_parameter_supported: about(
        "Whether a redirect names the issuer (RFC 9207).",
        z.boolean(),
        true,
      ),
    }),
  },
});

export const getProtectedResource = defineRoute({
  method: "GET",
  path: "/.well-known/oauth-protected-resource",
  summary: "What the API accepts, and from which authorization server (RFC 9728)",
  tag: "Approvals",
  credential: "none",
  responses: {
    200: z.strictObject({
      resource: about("The API's origin.", z.string(), "https://api.example"),
      authorization_servers: about("The issuers whose tokens it accepts.", z.array(z.string()), [
        "https://api.example",
      ]),
      scopes_supported: about("What a token can be allowed to do.", z.array(z.string()), [
        "preview",
        "publish",
        "projects",
      ]),
      bearer_methods_supported: about("`header` alone.", z.array(z.string()), ["header"]),
    }),
  },
});
