import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OAuth2Server } from "oauth2-mock-server";
import { UsageError } from "./configuration.ts";
import { elsewhere, type Part } from "./part.ts";

/** Where the provider issues any ID token that it is asked for: it knows no password. */
export const idTokenPath = "/id-token";

/** Where the provider publishes its signing keys. */
const keysPath = "/jwks";

/** Who issues ID tokens, and where the keys are that they are checked with. */
export interface IdentityProvider extends Part {
  readonly issuer: string;
  readonly jwksUri: string;
}

/**
 * A provider that runs elsewhere. Where its keys are not given, its discovery document tells
 * (OpenID Connect Discovery, section 4).
 *
 * @throws UsageError where that cannot be had
 */
export async function otherIdentityProvider(issuer: string, jwksUri: string | undefined): Promise<IdentityProvider> {
  return { ...elsewhere(issuer), issuer, jwksUri: jwksUri ?? (await discoverKeys(issuer)) };
}

async function discoverKeys(issuer: string): Promise<string> {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(5_000) });
    const { jwks_uri: keys } = (await response.json()) as { jwks_uri?: unknown };
    if (typeof keys === "string") return keys;
  } catch {
    // Whatever went wrong, the way out is the same.
  }
  throw new UsageError(`${address} does not tell where the keys of IDP_ISSUER are. Set IDP_JWKS_URI.`);
}

/**
 * Starts an OpenID Connect provider that signs ID tokens with RS256. `POST /id-token` with JSON claims answers with a
 * token that has them, over an hour's validity and the given audience; a claim that is null is left out.
 *
 * @param dataFolder where its signing key is kept, so that tokens outlive a restart; undefined: a new key
 * @throws Error with code EADDRINUSE where the port is taken
 */
export async function startIdentityProvider(options: {
  port: number;
  audience: string;
  dataFolder: string | undefined;
}): Promise<IdentityProvider> {
  const server = new OAuth2Server(undefined, undefined, { endpoints: { jwks: keysPath } });
  await Promise.all([loadKey(server, options.dataFolder), server.start(options.port, "127.0.0.1")]);
  const issuer = `http://127.0.0.1:${server.address().port}`;
  server.issuer.url = issuer;
  server.service.addRoute("POST", idTokenPath, async (request, response) => {
    const claims = { aud: options.audience, ...(request.body as Record<string, unknown>) };
    const token = await server.issuer.buildToken({
      scopesOrTransform: (_header, payload) => {
        payload["auth_time"] = payload.iat;
        for (const [name, value] of Object.entries(claims)) {
          if (value === null) delete payload[name];
          else payload[name] = value;
        }
      },
    });
    response.setHeader("content-type", "application/jwt").end(token);
  });
  return { endpoint: issuer, issuer, jwksUri: `${issuer}${keysPath}`, stop: () => server.stop() };
}

async function loadKey(server: OAuth2Server, dataFolder: string | undefined): Promise<void> {
  const { keys } = server.issuer;
  if (dataFolder === undefined) {
    await keys.generate("RS256");
    return;
  }
  const path = join(dataFolder, "identity-provider-key.json");
  try {
    await keys.add(JSON.parse(await readFile(path, "utf8")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    await writeFile(path, JSON.stringify(await keys.generate("RS256")), { mode: 0o600 });
  }
}
