import { limits } from "../limits.ts";
import type { Scope } from "../route.ts";
import { scopesOf } from "../tokens/scopes.ts";
import { slugOfResource } from "./project-resource.ts";

/*
 * The rules of an authorization request (RFC 6749, section 4.1.1). The dashboard applies them before it shows anything, and
 * the API when the person approves. Without zod, so that the dashboard stays small.
 */

/** The one client: public, so its id is no secret (RFC 6749, section 2.1). */
export const oauthClientId = "svc-cli";

export const codeChallengePattern = /^[\w.~-]{43,128}$/;

/** Request of a client on this machine, and where the client waits for the response. */
export interface AuthorizationRequest {
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly codeChallenge: string;
  readonly scopes: readonly Scope[];
  readonly tokenName: string | undefined;
  /** Slug of the only project that the token should act on, as the client proposes; undefined: it proposes none. */
  readonly project: string | undefined;
}

export type AuthorizationDecision =
  | { readonly kind: "ask"; readonly request: AuthorizationRequest }
  /** An error that the client gets (RFC 6749, section 4.1.2.1). */
  | { readonly kind: "redirect"; readonly url: string }
  /** An error that the person sees, because it is not known who would get it. */
  | { readonly kind: "page"; readonly detail: string };

/**
 * Decides what becomes of an authorization request: the person is asked, or the client gets an error, or, if client or
 * redirect URI is wrong, the person sees one. An empty parameter counts as none, and an unknown one is ignored, as is a resource
 * that is no project: the person chooses anyway.
 *
 * @param issuer the issuer that the metadata tells (RFC 9207)
 */
export function decideAuthorizationRequest(query: URLSearchParams, issuer: string): AuthorizationDecision {
  const all = (name: string) => query.getAll(name).filter(Boolean);
  const one = (name: string) => (all(name).length === 1 ? all(name)[0] : undefined);
  if (one("client_id") !== oauthClientId)
    return { kind: "page", detail: "No client of this service has its client_id." };
  const redirectUri = one("redirect_uri");
  if (redirectUri === undefined || !isLoopbackRedirect(redirectUri))
    return { kind: "page", detail: "It was not made by a command line on this machine." };
  const state = one("state");
  const request = {
    redirectUri,
    state,
    codeChallenge: one("code_challenge") ?? "",
    scopes: scopesOf(one("scope")) ?? [],
    tokenName: one("token_name"),
    project: slugOfResource(one("resource") ?? "", issuer),
  };
  const problem = problems.find(([, , applies]) => applies(all));
  if (problem === undefined) return { kind: "ask", request };
  const [error, error_description] = problem;
  return { kind: "redirect", url: authorizationResponseUrl(request, { error, error_description }, issuer) };
}

const parameters = [
  "response_type",
  "response_mode",
  "state",
  "scope",
  "code_challenge",
  "code_challenge_method",
  "token_name",
];

/** OAuth's error, its description, and whether it applies to the values of the parameters. */
type Problem = readonly [error: string, description: string, applies: (all: (name: string) => string[]) => boolean];

const problems: readonly Problem[] = [
  ["invalid_request", "A parameter is sent twice", (all) => parameters.some((name) => all(name).length > 1)],
  ["invalid_request", "response_type is missing", (all) => all("response_type").length === 0],
  ["unsupported_response_type", "response_type must be code", (all) => all("response_type")[0] !== "code"],
  ["invalid_request", "response_mode must be query", (all) => (all("response_mode")[0] ?? "query") !== "query"],
  [
    "invalid_request",
    `state is longer than ${limits.stateLength} characters`,
    (all) => all("state").some((state) => state.length > limits.stateLength),
  ],
  // RFC 7636, section 4.4.1. A method that is left out means plain.
  ["invalid_request", "code_challenge is missing", (all) => all("code_challenge").length === 0],
  ["invalid_request", "code_challenge_method must be S256", (all) => all("code_challenge_method")[0] !== "S256"],
  [
    "invalid_request",
    "code_challenge is not one (RFC 7636)",
    (all) => !codeChallengePattern.test(all("code_challenge")[0] ?? ""),
  ],
  ["invalid_scope", "A scope is not one that the metadata lists", (all) => scopesOf(all("scope")[0]) === undefined],
];

/**
 * The URL that takes the response of an authorization request to the client, with its state and the issuer (RFC 9207). The
 * query of the client's own URL stays as it is, byte for byte.
 */
export function authorizationResponseUrl(
  { redirectUri, state }: Pick<AuthorizationRequest, "redirectUri" | "state">,
  response: Readonly<Record<string, string>>,
  issuer: string,
): string {
  const added = new URLSearchParams({ ...response, ...(state !== undefined && { state }), iss: issuer });
  const separator = redirectUri.includes("?") ? (/[?&]$/.test(redirectUri) ? "" : "&") : "?";
  return `${redirectUri}${separator}${added}`;
}

/** Pattern without \p{Cc}, so that validators of the OpenAPI document that compile patterns without `u` read it as well. */
export const loopbackRedirectPattern =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that it excludes
  /^http:\/\/(127\.0\.0\.1|\[::1\])(:\d+)?([/?][^#\s\u0000-\u001f\u007f-\u009f]*)?$/u;

/** A loopback redirect, by IP literal, of any port (RFC 8252, sections 7.3 and 8.3), without user name and fragment. */
export function isLoopbackRedirect(value: string): boolean {
  return loopbackRedirectPattern.test(value) && value.length <= limits.urlLength && URL.canParse(value);
}
