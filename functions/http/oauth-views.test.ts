import { expect, test } from "@jest/globals";
import type { Token } from "../domain/tokens/entities.ts";
import { RawToken } from "../domain/tokens/raw-token.ts";
import { tokenResponseView } from "./oauth-views.ts";

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
