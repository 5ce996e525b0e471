import { type IdentityProvider, startIdentityProvider } from "../../support/identity/identity-provider.ts";
import { type ServiceOptions, startService, type TestService } from "../../support/service/service.ts";

/**
 * A service whose identity provider is the test's own, which signs whatever it is told to and misbehaves on demand.
 * `idToken` comes from it.
 */
export async function startServiceWithProvider(
  options: ServiceOptions = {},
): Promise<TestService & { provider: IdentityProvider }> {
  const provider = await startIdentityProvider();
  const service = await startService({
    ...options,
    env: {
      IDP_ISSUER: provider.issuer,
      IDP_JWKS_URI: provider.jwksUri,
      IDP_AUDIENCE: provider.audience,
      ...options.env,
    },
  });
  return {
    ...service,
    provider,
    idToken: async (claims) => provider.idToken({ claims }),
    stop: async () => {
      await provider.stop();
      await service.stop();
    },
  };
}
