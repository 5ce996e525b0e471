import { expect, test } from "@jest/globals";
import { keysView } from "./attestation-views.ts";

test("the keys of attestations are a JWKS for signatures with P-256 and SHA-256 (RFC 7517)", () => {
  const jwk = { kty: "EC", crv: "P-256", x: "x", y: "y" };
  expect(keysView([{ id: "k1", jwk }])).toEqual({ keys: [{ ...jwk, kid: "k1", use: "sig", alg: "ES256" }] });
});
