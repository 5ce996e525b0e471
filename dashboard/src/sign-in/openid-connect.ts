import * as oauth from "oauth4webapi";
import { serverNow } from "../../../contract/api/time/server-time.ts";
import type { OpenIdConnectProvider } from "../configuration.ts";
import {
  type IdToken,
  providerUnreachable,
  readIdToken,
  type SignIn,
  type SignInDemand,
  SignInProblem,
} from "./sign-in.ts";

/** Path that the provider sends the browser back to; it is registered there. */
const redirectPath = "/signed-in";
/**
 * Notes, without any secret, that the provider may have a session for this browser, so that a redirect is worth trying.
 */
const rememberedKey = "svc.signed-in";
const pendingKey = "svc.pending-sign-in";
/** The provider's metadata, which a page that comes back from the provider, or is reloaded, does not read anew. */
const metadataKey = "svc.provider";
const metadataMilliseconds = 3_600_000;
const channelName = "svc.sign-in";
const windowPrefix = "window.";

/** An authorization request that has not come back yet. */
interface Pending {
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
  readonly silent: boolean;
  /** URL of the view that was wanted. A path would not do: `//x` is another host's URL. */
  readonly returnTo: string;
}

/** The metadata of a provider as this tab keeps it. Public: it names endpoints. */
interface StoredMetadata {
  readonly issuer: string;
  readonly metadata: oauth.AuthorizationServer;
  /** When it was read, in milliseconds since 1970. */
  readonly at: number;
}

/** Signs in by authorization code with PKCE (OpenID Connect Core, section 3.1; RFC 7636), without a client secret. */
export class OpenIdConnect implements SignIn {
  readonly hasSession = true;
  readonly #client: oauth.Client;
  readonly #issuer: URL;
  readonly #options: { [oauth.allowInsecureRequests]: boolean };
  #server: Promise<oauth.AuthorizationServer> | undefined;
  #refreshToken: string | undefined;
  /** The latest ID token, which tells the provider who signs out. */
  #idToken: string | undefined;

  constructor({ issuer, clientId }: OpenIdConnectProvider) {
    this.#client = { client_id: clientId };
    this.#issuer = new URL(issuer);
    // Only a provider on this machine has no TLS.
    this.#options = { [oauth.allowInsecureRequests]: isLocal(this.#issuer) };
  }

  async restore(): Promise<IdToken | undefined> {
    if (location.pathname === redirectPath) return await this.#comeBack();
    // A link may ask for it too: without a session at the provider the page is as without the link.
    const isAsked = new URLSearchParams(location.search).has("sign-in");
    if (localStorage.getItem(rememberedKey) === null && !isAsked) return undefined;
    return await this.#leave({ prompt: "none" });
  }

  async start(): Promise<IdToken> {
    return await this.#leave({});
  }

  async renew(): Promise<IdToken | undefined> {
    const refreshToken = this.#refreshToken;
    if (refreshToken === undefined) return undefined;
    const server = await this.#discover();
    const none = oauth.None();
    const response = await oauth.refreshTokenGrantRequest(server, this.#client, none, refreshToken, this.#options);
    if (response.status >= 500) throw new Error(`The identity provider has trouble (status ${response.status})`);
    const tokens = await this.#clientAt(response)
      .then((client) => oauth.processRefreshTokenResponse(server, client, response))
      .catch(() => undefined);
    if (tokens?.id_token === undefined) return undefined;
    this.#refreshToken = tokens.refresh_token ?? refreshToken;
    this.#idToken = tokens.id_token;
    return readIdToken(tokens.id_token);
  }

  async startInWindow(demand?: SignInDemand): Promise<IdToken> {
    // The window must open within the click, so before anything is awaited.
    const opened = window.open("about:blank", "svc-sign-in", "popup,width=480,height=680");
    if (opened === null) throw new SignInProblem("The browser blocked the window. Allow pop-ups here, then try again.");
    const server = await this.#discover();
    const pending = newPending(false, windowPrefix);
    const channel = new BroadcastChannel(channelName);
    try {
      const query = new Promise<string>((resolve) => {
        channel.onmessage = ({ data }) => {
          if (new URLSearchParams(data).get("state") === pending.state) resolve(data);
        };
      });
      opened.location.href = await this.#authorizationUrl(
        server,
        pending,
        demand ? { prompt: "login", ...demand } : {},
      );
      return await this.#redeem(new URLSearchParams(await query), pending);
    } finally {
      channel.close();
    }
  }

  async forget(): Promise<void> {
    localStorage.removeItem(rememberedKey);
    this.#refreshToken = undefined;
    this.#idToken = undefined;
  }

  /** OpenID Connect RP-Initiated Logout 1.0, section 2: without the hint a provider may ask whether the person wants it. */
  async signOut(): Promise<void> {
    const idToken = this.#idToken;
    await this.forget();
    const { end_session_endpoint: endpoint } = await this.#discover();
    if (endpoint === undefined) return;
    const url = new URL(endpoint);
    if (idToken !== undefined) url.searchParams.set("id_token_hint", idToken);
    url.searchParams.set("client_id", this.#client.client_id);
    url.searchParams.set("post_logout_redirect_uri", `${location.origin}/`);
    // Cognito's name for it: https://docs.aws.amazon.com/cognito/latest/developerguide/logout-endpoint.html
    url.searchParams.set("logout_uri", `${location.origin}/`);
    location.assign(url);
    await new Promise(() => undefined);
  }

  /** Sends the browser to the provider. */
  async #leave({ prompt }: { prompt?: string }): Promise<never> {
    const server = await this.#discover();
    const pending = newPending(prompt === "none");
    sessionStorage.setItem(pendingKey, JSON.stringify(pending));
    location.replace(await this.#authorizationUrl(server, pending, prompt ? { prompt } : {}));
    return await new Promise<never>(() => undefined);
  }

  /** Continues the sign-in from which the provider has sent the browser back. */
  async #comeBack(): Promise<IdToken | undefined> {
    const query = new URLSearchParams(location.search);
    if (query.get("state")?.startsWith(windowPrefix)) return await handToOpener(location.search);
    const text = sessionStorage.getItem(pendingKey);
    sessionStorage.removeItem(pendingKey);
    const pending = text === null ? undefined : (JSON.parse(text) as Pending);
    // The code must not stay in the address bar or the history.
    history.replaceState(null, "", pending?.returnTo ?? "/");
    if (pending === undefined) return undefined;
    if (pending.silent && query.has("error")) {
      localStorage.removeItem(rememberedKey);
      return undefined;
    }
    return await this.#redeem(query, pending);
  }

  async #redeem(query: URLSearchParams, { verifier, state, nonce }: Pending): Promise<IdToken> {
    const server = await this.#discover();
    try {
      const valid = oauth.validateAuthResponse(server, this.#client, query, state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        this.#client,
        oauth.None(),
        valid,
        redirectUri(),
        verifier,
        this.#options,
      );
      const client = await this.#clientAt(response);
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
      });
      this.#refreshToken = tokens.refresh_token;
      localStorage.setItem(rememberedKey, "yes");
      this.#idToken = tokens.id_token as string;
      return readIdToken(this.#idToken);
    } catch (error) {
      // The provider may have moved an endpoint since its metadata was read.
      sessionStorage.removeItem(metadataKey);
      // OpenID Connect Core, section 3.1.2.6: the person said no, or the provider lets them in no more.
      const isDenied = error instanceof oauth.AuthorizationResponseError && error.error === "access_denied";
      throw new SignInProblem(
        isDenied
          ? "The identity provider refused the sign-in. If you did not cancel it, your account there may be disabled: ask its administrator."
          : "The identity provider did not complete the sign-in. Try to sign in again.",
        { cause: error },
      );
    }
  }

  /**
   * The client with the provider's time: an ID token that answers this request was issued just now, so the check of its times must
   * not depend on this device's clock.
   */
  async #clientAt(response: Response): Promise<oauth.Client> {
    const { id_token: idToken } = (await response.clone().json()) as { id_token?: unknown };
    if (typeof idToken === "string") readIdToken(idToken, { isNew: true });
    return { ...this.#client, [oauth.clockSkew]: Math.round((serverNow() - Date.now()) / 1_000) };
  }

  #discover(): Promise<oauth.AuthorizationServer> {
    this.#server ??= this.#readMetadata().catch((cause) => {
      this.#server = undefined;
      throw new SignInProblem(providerUnreachable, { cause });
    });
    return this.#server;
  }

  /** The provider's metadata: what this tab has read within the last hour, or else anew. */
  async #readMetadata(): Promise<oauth.AuthorizationServer> {
    const stored = JSON.parse(sessionStorage.getItem(metadataKey) ?? "null") as StoredMetadata | null;
    const isFresh = stored?.issuer === this.#issuer.href && Date.now() - stored.at < metadataMilliseconds;
    const response = isFresh
      ? Response.json(stored.metadata)
      : await oauth.discoveryRequest(this.#issuer, this.#options);
    const metadata = await oauth.processDiscoveryResponse(this.#issuer, response);
    const read: StoredMetadata = { issuer: this.#issuer.href, metadata, at: Date.now() };
    if (!isFresh) sessionStorage.setItem(metadataKey, JSON.stringify(read));
    return metadata;
  }

  async #authorizationUrl(
    { authorization_endpoint: endpoint = "" }: oauth.AuthorizationServer,
    { verifier, state, nonce }: Pending,
    more: Readonly<Record<string, string>>,
  ): Promise<string> {
    const url = new URL(endpoint);
    const parameters = {
      client_id: this.#client.client_id,
      response_type: "code",
      redirect_uri: redirectUri(),
      scope: "openid email profile",
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
      nonce,
      ...more,
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }
}

/** Whether a URL is of this machine. */
export function isLocal({ hostname }: URL): boolean {
  return ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
}

function redirectUri(): string {
  return `${location.origin}${redirectPath}`;
}

function newPending(silent: boolean, prefix = ""): Pending {
  return {
    verifier: oauth.generateRandomCodeVerifier(),
    state: prefix + oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    silent,
    // With the fragment: that of an invitation's link is needed after the sign-in.
    returnTo: location.pathname === redirectPath ? "/" : location.href,
  };
}

/** Gives the provider's response to the page that opened this window, because only that page has the verifier. */
async function handToOpener(query: string): Promise<never> {
  new BroadcastChannel(channelName).postMessage(query);
  window.close();
  return await new Promise<never>(() => undefined);
}
