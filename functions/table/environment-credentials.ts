/**
 * Stands in the bundles in place of the SDK's chain of credential providers: a function has its role's credentials in
 * the environment and nowhere else, and the chain is most of the SDK's weight.
 *
 * @throws CredentialsProviderError, as the chain names it, if the environment has none
 */
export function defaultProvider() {
  return async () => {
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
    if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) throw new CredentialsProviderError("The environment has none.");
    return {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
    };
  };
}

class CredentialsProviderError extends Error {
  override readonly name = "CredentialsProviderError";
}
