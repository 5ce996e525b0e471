import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import type { StageOptions, TestStage } from "../support/stage.ts";
import { startWatchedStage } from "./watched-stage.ts";

/**
 * A stage whose identity provider is the test's own, which signs whatever it is told to and misbehaves on demand.
 * `idToken` comes from it; everything that the stage prints is watched.
 */
export async function startStageWithProvider(
  options: StageOptions = {},
): Promise<TestStage & { provider: IdentityProvider }> {
  const provider = await startIdentityProvider();
  const stage = await startWatchedStage({
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
