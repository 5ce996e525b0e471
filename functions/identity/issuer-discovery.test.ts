import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type IdentityProvider, startIdentityProvider } from "../../test/support/identity/identity-provider.ts";
import { KeysUnavailableError, keysUrlOf } from "./signing-keys.ts";

let provider: IdentityProvider;
beforeAll(async () => {
  provider = await startIdentityProvider();
});
afterAll(() => provider.stop());
beforeEach(() => provider.discoverAs(undefined));

test("the keys of an issuer are where its discovery document says", async () => {
  expect(await keysUrlOf(provider.issuer)).toBe(provider.jwksUri);
});

test.each([
  ["of another issuer", () => ({ issuer: "https://evil.example", jwks_uri: provider.jwksUri })],
  ["of an issuer with a slash more", () => ({ issuer: `${provider.issuer}/`, jwks_uri: provider.jwksUri })],
  ["with keys on another origin", () => ({ issuer: provider.issuer, jwks_uri: "https://evil.example/jwks" })],
  ["without keys", () => ({ issuer: provider.issuer })],
])("a discovery document %s is refused", async (_, document) => {
  provider.discoverAs(document());
  await expect(keysUrlOf(provider.issuer)).rejects.toBeInstanceOf(KeysUnavailableError);
});

test("an issuer without https is not asked, unless it is this machine", async () => {
  await expect(keysUrlOf("http://issuer.example")).rejects.toThrow("must be an https URL");
});
