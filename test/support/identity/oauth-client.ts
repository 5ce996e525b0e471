import * as oauth from "openid-client";

/** URL that receives the authorization code: the command line's own server. */
export const redirectUri = "http://127.0.0.1:49152/callback";

/** A client of the OAuth routes that uses openid-client. */
export interface OauthClient {
  readonly configuration: oauth.Configuration;
  /** The URL that the command line opens in the browser, and the verifier that it keeps. */
  authorizationRequest(): Promise<{ verifier: string; url: URL }>;
  /** Exchanges the code of a redirect for a token. */
  exchange(redirect: URL, verifier: string): ReturnType<typeof oauth.authorizationCodeGrant>;
}

/** A client that knows only the API's URL and its own id, and reads the rest from the metadata. */
export async function discoverOauthClient(api: string): Promise<OauthClient> {
  const configuration = await oauth.discovery(new URL(api), "svc-cli", undefined, oauth.None(), {
    algorithm: "oauth2",
    execute: [oauth.allowInsecureRequests],
  });
  return {
    configuration,
    authorizationRequest: () => authorizationRequest(configuration),
    exchange: (redirect, verifier) =>
      oauth.authorizationCodeGrant(configuration, redirect, { pkceCodeVerifier: verifier, expectedState: state }),
  };
}

const state = "the state";

async function authorizationRequest(configuration: oauth.Configuration) {
  const verifier = oauth.randomPKCECodeVerifier();
  const url = oauth.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: "publish projects",
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  return { verifier, url };
}

/** Approval that the dashboard sends when the person approves. */
export function approvalOf(url: URL, changes: object = {}) {
  const { client_id, redirect_uri, state, code_challenge, code_challenge_method } = Object.fromEntries(
    url.searchParams,
  );
  const asked = { client_id, redirect_uri, state, code_challenge, code_challenge_method };
  return { ...asked, name: "laptop", scopes: ["publish"], expires_in_days: 30, ...changes };
}

/** The OAuth error of an exchange, or "no error". */
export async function errorOf(exchanging: Promise<unknown>): Promise<string> {
  return await exchanging.then(
    () => "no error",
    (error: { error?: string; message: string }) => error.error ?? error.message,
  );
}
