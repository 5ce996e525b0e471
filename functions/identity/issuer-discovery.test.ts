import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from "@jest/globals";
import { type IdentityProvider, startIdentityProvider } from "../../test/support/identity/identity-provider.ts";
import { KeysUnavailableError, keysUrlOf } from "./signing-keys.ts";

let provider: IdentityProvider;
beforeAll(async () => {
  provider = await startIdentityProvider();
});
afterAll(() => provider.stop());
beforeEach(() => provider.discoverAs(undefined));
afterEach(() => {
  jest.restoreAllMocks();
});

test("the keys of an issuer are where its discovery document says, which is read once an hour", async () => {
  const findUrl = keysUrlOf(provider.issuer);
  const before = provider.discoveries;
  const began = Date.now();
  const clock = jest.spyOn(Date, "now");
  for (const [minutes, discoveries] of [
    [0, 1],
    [0, 1],
    [59, 1],
    [61, 2],
  ] as const) {
    clock.mockReturnValue(began + minutes * 60_000);
    expect(await findUrl()).toBe(provider.jwksUri);
    expect({ minutes, discoveries: provider.discoveries - before }).toEqual({ minutes, discoveries });
  }
});

test.each([
  ["of another issuer", () => ({ issuer: "https://evil.example", jwks_uri: provider.jwksUri })],
  ["of an issuer with a slash more", () => ({ issuer: `${provider.issuer}/`, jwks_uri: provider.jwksUri })],
  ["with keys on another origin", () => ({ issuer: provider.issuer, jwks_uri: "https://evil.example/jwks" })],
  ["without keys", () => ({ issuer: provider.issuer })],
])("a discovery document %s is refused", async (_, document) => {
  provider.discoverAs(document());
  await expect(keysUrlOf(provider.issuer)()).rejects.toBeInstanceOf(KeysUnavailableError);
});

test("an issuer without https is not asked, unless it is this machine", async () => {
  await expect(keysUrlOf("http://issuer.example")()).rejects.toThrow("must be an https URL");
});
