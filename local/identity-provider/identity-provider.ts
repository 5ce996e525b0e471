import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { foreignRequestReason } from "../gateway/foreign-request.ts";
import type { Part } from "../part.ts";
import {
  isDashboard,
  json,
  type ProviderRequest,
  type ProviderResponse,
  signInEndpoints,
} from "./sign-in-endpoints.ts";
import { loadSigningKey, type SigningKey } from "./signing-key.ts";
import { makeStartSecret } from "./start-secret.ts";

/** The path where the provider issues any ID token to a caller that has the start secret. */
export const idTokenPath = "/id-token";

/** The path of the link of npm run demo. */
const demoPath = "/demo";

/** The path of the signing keys. */
const keysPath = "/jwks";

/** An issuer of ID tokens, and the URL of its keys. */
export interface IdentityProvider extends Part {
  readonly issuer: string;
  readonly jwksUri: string;
  /** A link that signs in as Ada and opens a page of the dashboard, for whoever started the provider. */
  readonly demoUrl?: (page: string) => string;
}

interface ProviderOptions {
  readonly port: number;
  readonly audience: string;
  readonly dataFolder: string | undefined;
  /** The port of the dashboard, which redirects people here to sign in. */
  readonly dashboardPort: number;
}

/**
 * Starts an OpenID Connect provider that signs ID tokens with RS256. The dashboard signs people in with it
 * (local/identity-provider/sign-in-endpoints.ts). `POST /id-token`, with the start secret as bearer token, responds with an ID token with the
 * JSON claims of its body; by default it is valid for an hour and for the given audience; a claim that is null is left out.
 * Requests of other sites' pages are refused.
 *
 * @param options.dataFolder the folder of its signing key, so that ID tokens stay valid after a restart; undefined: a new key
 * @throws Error with code EADDRINUSE if the port is taken
 */
export async function startIdentityProvider({
  port,
  audience,
  dataFolder,
  dashboardPort,
}: ProviderOptions): Promise<IdentityProvider> {
  const key = await loadSigningKey(dataFolder);
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  const { port: ownPort } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${ownPort}`;
  const { secret, forget } = await makeStartSecret(ownPort);
  const demoKey = randomBytes(16).toString("base64url");
  const respond = responder({ issuer, audience, key, secret, demoKey, dashboardPort });
  server.on("request", async (request, response) => {
    const { status, headers, body } = await respond(request).catch((error: Error) =>
      json(400, { error: error.message }),
    );
    response.writeHead(status, { ...headers, ...readableByDashboard(request, dashboardPort) }).end(body);
  });
  const stop = async () => {
    server.closeAllConnections();
    await Promise.all([once(server.close(), "close"), forget()]);
  };
  const demoUrl = (page: string) => `${issuer}${demoPath}?${new URLSearchParams({ key: demoKey, page })}`;
  return { endpoint: issuer, issuer, jwksUri: `${issuer}${keysPath}`, demoUrl, stop };
}

interface Provider {
  readonly issuer: string;
  readonly audience: string;
  readonly key: SigningKey;
  readonly secret: string;
  /** Part of the link of npm run demo. */
  readonly demoKey: string;
  readonly dashboardPort: number;
}

function responder(provider: Provider) {
  const { issuer, audience, key, demoKey, dashboardPort } = provider;
  const endpoints = signInEndpoints({ issuer, clientId: audience, key, dashboardPort });
  const routes: Record<string, (request: ProviderRequest, body: string) => ProviderResponse> = {
    "GET /.well-known/openid-configuration": () => json(200, discovery(issuer)),
    [`GET ${keysPath}`]: () => json(200, { keys: [key.publicJwk] }),
    "GET /authorize": endpoints.authorize,
    "POST /sign-in": endpoints.signIn,
    "POST /token": endpoints.token,
    "GET /end-session": endpoints.endSession,
    [`GET ${demoPath}`]: (request) =>
      isEqual(request.query.get("key") ?? "", demoKey)
        ? endpoints.demo(request)
        : json(403, { error: "access_denied", error_description: "This link is of an earlier start." }),
    [`POST ${idTokenPath}`]: (_, body) => minted(key, issuer, audience, JSON.parse(body)),
  };
  return async (request: IncomingMessage): Promise<ProviderResponse> => {
    const refusal = refusalOf(request, provider);
    if (refusal !== undefined) return refusal;
    const { pathname, searchParams: query } = new URL(request.url ?? "/", issuer);
    const route = routes[`${request.method} ${pathname}`];
    if (route === undefined) return json(404, { error: "not_found" });
    const { origin, cookie: cookies = "" } = request.headers;
    const body = await text(request);
    return route({ query, form: new URLSearchParams(body), origin, cookies }, body);
  };
}

/** Refuses requests of other sites' pages, and `POST /id-token` without the start secret. */
function refusalOf(
  { url, headers }: IncomingMessage,
  { issuer, secret, dashboardPort }: Provider,
): ProviderResponse | undefined {
  const { origin, authorization = "" } = headers;
  const origins = origin !== undefined && isDashboard(origin, dashboardPort) ? [origin] : [];
  const foreign = foreignRequestReason(headers, { ports: [Number(new URL(issuer).port)], origins });
  if (foreign !== undefined) return json(403, { error: "foreign_request", error_description: foreign });
  if (new URL(url ?? "/", issuer).pathname !== idTokenPath || isEqual(authorization, `Bearer ${secret}`))
    return undefined;
  const advice = "Only `npm run id-token` and the other programs of this checkout get ID tokens here.";
  return json(401, { error: "invalid_token", error_description: advice });
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** OpenID Connect Discovery, section 3. */
function discovery(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    end_session_endpoint: `${issuer}/end-session`,
    jwks_uri: `${issuer}${keysPath}`,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    scopes_supported: ["openid", "email", "profile"],
    token_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    prompt_values_supported: ["none", "login", "select_account"],
    authorization_response_iss_parameter_supported: true,
  };
}

function minted(key: SigningKey, issuer: string, audience: string, claims: Record<string, unknown>): ProviderResponse {
  const now = Math.floor(Date.now() / 1_000);
  const all = { iss: issuer, aud: audience, iat: now, exp: now + 3_600, nbf: now - 10, auth_time: now, ...claims };
  const payload = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
  return { status: 200, headers: { "content-type": "application/jwt" }, body: key.sign(payload) };
}

/** CORS headers, for the dashboard only. */
function readableByDashboard({ headers: { origin } }: IncomingMessage, dashboardPort: number): Record<string, string> {
  if (origin === undefined || !isDashboard(origin, dashboardPort)) return {};
  return { "access-control-allow-origin": origin, vary: "origin" };
}
