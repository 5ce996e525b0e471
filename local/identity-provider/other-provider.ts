import { UsageError } from "../configuration.ts";
import { externalPart } from "../part.ts";
import type { IdentityProvider } from "./identity-provider.ts";

/** The keys of Firebase Authentication. ID tokens of its emulator are not signed. */
const firebaseKeys = "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com";

/**
 * The Firebase Authentication emulator of a project. Its ID tokens are unsigned and have the issuer of the real service, so
 * no keys are fetched (https://firebase.google.com/docs/emulator-suite/connect_auth#id_tokens).
 */
export function firebaseEmulator(project: string, jwksUri: string = firebaseKeys): IdentityProvider {
  const issuer = `https://securetoken.google.com/${project}`;
  return { ...externalPart(issuer), issuer, jwksUri };
}

/**
 * An identity provider that is not embedded. Where the URL of its keys is not given, its discovery document names it
 * (OpenID Connect Discovery, section 4).
 *
 * @throws UsageError if the document cannot be fetched, has another issuer (section 4.3) or no URL of keys
 */
export async function otherIdentityProvider(issuer: string, jwksUri: string | undefined): Promise<IdentityProvider> {
  return { ...externalPart(issuer), issuer, jwksUri: jwksUri ?? (await discoverKeys(issuer)) };
}

async function discoverKeys(issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const document = await fetchDocument(url).catch((error: Error) => {
    throw new UsageError(`${url} could not be read: ${reasonOf(error)} Or set IDP_JWKS_URI.`);
  });
  if (document.issuer !== issuer)
    throw new UsageError(
      `${url} says that the issuer is ${JSON.stringify(document.issuer)}. If this is your provider, set IDP_ISSUER to exactly that.`,
    );
  if (typeof document.jwks_uri !== "string")
    throw new UsageError(`${url} does not say where the keys of IDP_ISSUER are. Set IDP_JWKS_URI.`);
  return document.jwks_uri;
}

async function fetchDocument(url: string): Promise<{ issuer?: unknown; jwks_uri?: unknown }> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  if (!response.ok) throw new Error(`the response has status ${response.status}.`);
  return (await response.json()) ?? {};
}

/** Node's error codes for a certificate that is not trusted. */
const untrusted = /^(UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|CERT_|ERR_TLS_CERT_ALTNAME)/;

function reasonOf({ message, cause }: Error): string {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  if (code !== undefined && untrusted.test(code))
    return `its certificate is not trusted (${code}). Set NODE_EXTRA_CA_CERTS to the file of the authority that issued it.`;
  return code === undefined ? message : `${code}.`;
}
