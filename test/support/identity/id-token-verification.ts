import { generateKeyPairSync } from "node:crypto";
import { afterEach, beforeEach, jest } from "@jest/globals";
import { duringTests } from "../service/suite.ts";
import { startIdentityProvider } from "./identity-provider.ts";

/** Epoch seconds, as ID tokens have them. */
export const now = () => Math.floor(Date.now() / 1_000);

/** A key that the identity provider does not publish. */
export const otherKey = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;

/** An identity provider for the tests of a file, and the verification of its ID tokens by a function that has just started. */
export function useIdTokenVerification() {
  const provider = duringTests(() => startIdentityProvider());
  let verify: (idToken: string) => Promise<unknown>;

  /** A function that has just started knows no key yet. */
  async function coldStart(): Promise<void> {
    jest.resetModules();
    ({ verifyIdToken: verify } = await import("../../../functions/identity/id-token.ts"));
  }

  beforeEach(async () => {
    Object.assign(process.env, {
      SVC_STAGE: "local",
      IDP_ISSUER: provider.issuer,
      IDP_AUDIENCE: provider.audience,
      IDP_JWKS_URI: provider.jwksUri,
    });
    await coldStart();
  });

  afterEach(() => {
    provider.respondWith(undefined);
    for (const name of optionalSettings) delete process.env[`IDP_${name}`];
  });

  async function refusalWithReason(idToken: string): Promise<Error & { reason?: string }> {
    return await verify(idToken).then(
      () => new Error("it was accepted"),
      (thrown: Error) => thrown,
    );
  }

  return {
    provider,
    coldStart,
    verifyIdToken: (idToken: string) => verify(idToken),
    refusalWithReason,
    refusal: async (idToken: string) => (await refusalWithReason(idToken)).message,
  };
}

const optionalSettings = [
  "AUTH_EMULATOR_HOST",
  "TRUSTED_AUDIENCES",
  "AUTHORIZED_PARTIES",
  "TENANT",
  "TOKEN_LIFETIME_HOURS",
];
