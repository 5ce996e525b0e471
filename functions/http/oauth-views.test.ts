import { expect, test } from "@jest/globals";
import { RawToken } from "../domain/tokens/raw-token.ts";
import type { Token } from "../entities/token.ts";
import { metadataView, protectedResourceView, tokenResponseView } from "./oauth-views.ts";

test("a token response has the whole seconds until the token expires, and its scopes separated by spaces", () => {
  const rawToken = RawToken.generate("0123456789abcdefghijAB");
  const token = { expiresAt: "2026-01-01T00:01:30.900Z", scopes: ["publish", "projects"] } as unknown as Token;
  expect(tokenResponseView({ token, rawToken }, new Date("2026-01-01T00:00:00.000Z"))).toEqual({
    access_token: rawToken.reveal(),
    token_type: "Bearer",
    expires_in: 90,
    scope: "publish projects",
  });
});

const common = {
  issuer: "https://api.example",
  token_endpoint: "https://api.example/oauth/token",
  revocation_endpoint: "https://api.example/oauth/revoke",
  scopes_supported: ["preview", "publish", "projects"],
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  authorization_response_iss_parameter_supported: true,
};
const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";

test("the metadata name all that a client may do, and without a dashboard only what CI jobs may", () => {
  expect(metadataView("https://api.example", "https://dashboard.example")).toEqual({
    ...common,
    authorization_endpoint: "https://dashboard.example/authorize",
    device_authorization_endpoint: "https://api.example/oauth/device_authorization",
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code", tokenExchange],
  });
  expect(metadataView("https://api.example", undefined)).toEqual({
    ...common,
    response_types_supported: [],
    grant_types_supported: [tokenExchange],
  });
});

test("the metadata of the API name who issues its tokens, and where its own keys are", () => {
  expect(protectedResourceView("https://api.example")).toEqual({
    resource: "https://api.example",
    authorization_servers: ["https://api.example"],
    scopes_supported: ["preview", "publish", "projects"],
    bearer_methods_supported: ["header"],
  });
});
