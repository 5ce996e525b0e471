import { dashboardHostname } from "../gateway/foreign-request.ts";
import { pageHeaders, people, refusalPage, signedOutPage, signInPage } from "./sign-in-page.ts";
import { type AuthorizationRequest, type LocalPerson, SignIns } from "./sign-ins.ts";
import type { SigningKey } from "./signing-key.ts";

/** A request to the provider. */
export interface ProviderRequest {
  readonly query: URLSearchParams;
  /** The form that was posted, empty otherwise. */
  readonly form: URLSearchParams;
  readonly origin: string | undefined;
  readonly cookies: string;
}

export interface ProviderResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const idTokenLifetimeSeconds = 3_600;

/** The endpoints of the sign-in: authorization code with PKCE, only S256 (RFC 7636). */
export interface SignInEndpoints {
  authorize(request: ProviderRequest): ProviderResponse;
  signIn(request: ProviderRequest): ProviderResponse;
  token(request: ProviderRequest): ProviderResponse;
  endSession(request: ProviderRequest): ProviderResponse;
  /** Signs the first of the people in, and opens a page of the dashboard; who may ask for it was checked. */
  demo(request: ProviderRequest): ProviderResponse;
}

/**
 * Makes the endpoints of one provider. Its only client is the dashboard, which has no secret and is the audience of the ID
 * tokens.
 */
export function signInEndpoints(provider: {
  issuer: string;
  clientId: string;
  key: SigningKey;
  dashboardPort: number;
}): SignInEndpoints {
  const { issuer, clientId, key, dashboardPort } = provider;
  const signIns = new SignIns();
  // Cookies of 127.0.0.1 belong to all its ports.
  const cookieName = `svc-sign-in-${new URL(issuer).port}`;

  function sentBack(sessionId: string, request: AuthorizationRequest): ProviderResponse {
    const { redirectUri, state } = request;
    return redirect(redirectUri, { code: signIns.issueCode(sessionId, request), state, iss: issuer });
  }

  function tokens(grant: NonNullable<ReturnType<SignIns["redeemCode"]>>): ProviderResponse {
    const { person, authenticatedAt } = grant.session;
    const now = Math.floor(Date.now() / 1_000);
    const idToken = key.sign({
      iss: issuer,
      aud: clientId,
      sub: person.uid,
      name: person.name,
      email: person.email,
      email_verified: true,
      iat: now,
      exp: now + idTokenLifetimeSeconds,
      auth_time: authenticatedAt,
      ...(grant.nonce !== undefined && { nonce: grant.nonce }),
    });
    return json(200, {
      token_type: "Bearer",
      // Not used: this provider has no API.
      access_token: "none",
      expires_in: idTokenLifetimeSeconds,
      id_token: idToken,
      refresh_token: signIns.issueRefreshToken(grant),
    });
  }

  function withSession(sessionId: string, response: ProviderResponse): ProviderResponse {
    const cookie = `${cookieName}=${sessionId}; HttpOnly; SameSite=Lax; Path=/`;
    return { ...response, headers: { ...response.headers, "set-cookie": cookie } };
  }

  return {
    authorize({ query, cookies }) {
      const request = readRequest(query, provider);
      if (typeof request === "string") return page(400, refusalPage(request));
      const sessionId = cookieValue(cookies, cookieName);
      const session = signIns.session(sessionId);
      const { maxAgeSeconds = Number.POSITIVE_INFINITY } = request;
      const isOld = Date.now() / 1_000 - (session?.authenticatedAt ?? 0) > maxAgeSeconds;
      const asks = request.prompt === "login" || request.prompt === "select_account" || isOld;
      if (session && !asks) return sentBack(sessionId as string, request);
      const { redirectUri, state, prompt } = request;
      if (prompt === "none") return redirect(redirectUri, { error: "login_required", state, iss: issuer });
      return page(200, signInPage(query.toString()));
    },

    signIn({ form, origin }) {
      // Another site must not choose the person.
      if (origin !== issuer) return page(403, refusalPage("The form was not sent by the page of this provider."));
      const request = readRequest(new URLSearchParams(form.get("request") ?? ""), provider);
      if (typeof request === "string") return page(400, refusalPage(request));
      const person = chosenPerson(form);
      if (person === undefined) return page(400, refusalPage("A name is missing."));
      const sessionId = signIns.start(person);
      return withSession(sessionId, sentBack(sessionId, request));
    },

    demo({ query }) {
      const [ada] = people;
      const target = new URL(query.get("page") ?? "", `http://${dashboardHostname}:${dashboardPort}`);
      if (ada === undefined || !isDashboard(target.href, dashboardPort))
        return page(400, refusalPage("The link is not whole."));
      return withSession(signIns.start(ada), redirect(target.href, { "sign-in": "" }));
    },

    token({ form }) {
      const value = (name: string) => form.get(name) ?? "";
      if (value("client_id") !== clientId) return json(400, { error: "invalid_client" });
      const grantType = value("grant_type");
      if (!["authorization_code", "refresh_token"].includes(grantType))
        return json(400, { error: "unsupported_grant_type" });
      const grant =
        grantType === "refresh_token"
          ? signIns.redeemRefreshToken(value("refresh_token"))
          : signIns.redeemCode(value("code"), value("redirect_uri"), value("code_verifier"));
      return grant ? tokens(grant) : json(400, { error: "invalid_grant" });
    },

    endSession({ query, cookies }) {
      signIns.end(cookieValue(cookies, cookieName));
      const target = query.get("post_logout_redirect_uri");
      const response = target && isDashboard(target, dashboardPort) ? redirect(target, {}) : page(200, signedOutPage());
      return { ...response, headers: { ...response.headers, "set-cookie": `${cookieName}=; Max-Age=0; Path=/` } };
    },
  };
}

/** Parses an authorization request; a sentence if it is invalid and must not be redirected. */
function readRequest(
  query: URLSearchParams,
  { clientId, dashboardPort }: { clientId: string; dashboardPort: number },
): AuthorizationRequest | string {
  const value = (name: string) => query.get(name) ?? undefined;
  const redirectUri = value("redirect_uri") ?? "";
  if (value("client_id") !== clientId) return `The client is not ${clientId}.`;
  if (!isDashboard(redirectUri, dashboardPort)) return "The redirect URI is not the dashboard's.";
  const codeChallenge = value("code_challenge") ?? "";
  const isCode = value("response_type") === "code" && (value("scope") ?? "").split(" ").includes("openid");
  const hasChallenge = value("code_challenge_method") === "S256" && /^[\w-]{43}$/.test(codeChallenge);
  if (!isCode || !hasChallenge) return "This provider supports only the authorization code flow with PKCE (S256).";
  const maxAge = value("max_age");
  if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge)) return "max_age must be a number of seconds.";
  const maxAgeSeconds = maxAge === undefined ? undefined : Number(maxAge);
  const [state, nonce, prompt] = [value("state"), value("nonce"), value("prompt")];
  return { redirectUri, codeChallenge, state, nonce, prompt, maxAgeSeconds };
}

/** Whether a URL is of this service's dashboard. Games also have hosts under localhost, and other programs other ports. */
export function isDashboard(url: string, port: number): boolean {
  if (!URL.canParse(url)) return false;
  const { origin, username } = new URL(url);
  return origin === new URL(`http://${dashboardHostname}:${port}`).origin && username === "";
}

function chosenPerson(form: URLSearchParams): LocalPerson | undefined {
  const chosen = people.find(({ uid }) => uid === form.get("uid"));
  const name = (form.get("name") ?? "").trim().slice(0, 80);
  const uid = name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
  if (chosen !== undefined || name === "") return chosen;
  return { uid, name, email: form.get("email") || `${encodeURIComponent(uid)}@example.test` };
}

function cookieValue(cookies: string, name: string): string | undefined {
  const pairs = cookies.split(/; */).map((pair) => pair.split("="));
  return pairs.find(([key]) => key === name)?.[1];
}

function redirect(target: string, parameters: Readonly<Record<string, string | undefined>>): ProviderResponse {
  const url = new URL(target);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return { status: 303, headers: { location: url.href, "cache-control": "no-store" }, body: "" };
}

function page(status: number, body: string): ProviderResponse {
  return { status, headers: pageHeaders, body };
}

export function json(status: number, body: unknown): ProviderResponse {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return { status, headers, body: JSON.stringify(body) };
}
