import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { type StageOptions, startStage, type TestStage } from "../support/stage.ts";

/**
 * A stage whose identity provider is the test's own, which signs whatever it is told to and misbehaves on demand.
 * `idToken` comes from it.
 */
export async function startStageWithProvider(
  options: StageOptions = {},
): Promise<TestStage & { provider: IdentityProvider }> {
  const provider = await startIdentityProvider();
  const stage = await startStage({
    ...options,
    env: {
      IDP_ISSUER: provider.issuer,
      IDP_JWKS_URI: provider.jwksUri,
      IDP_AUDIENCE: provider.audience,
      ...options.env,
    },
  });
  return {
    ...stage,
    provider,
    idToken: async (claims) => provider.idToken({ claims }),
    stop: async () => {
      await provider.stop();
      await stage.stop();
    },
  };
}
