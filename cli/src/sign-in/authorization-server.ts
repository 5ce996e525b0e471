import { hostname } from "node:os";
import { projectResource } from "../../../contract/api/login/project-resource.ts";
import { ApiError, errorOf, jsonIn } from "../../../contract/api-error.ts";
import { isUnhandled, retryFor, withRetries } from "../../../contract/retries.ts";
import { isHttpsOrLocal } from "../api-url.ts";
import { exitCodes, UserError } from "../errors.ts";
import { throwFinal } from "../http/network-error.ts";
import { type HttpResponse, send, sendWithRetries } from "../http/send.ts";
import { printable } from "../text.ts";

/** The OAuth client that `svc` is: public, without a secret. Every stage knows it. */
export const clientId = "svc-cli";

const requestedScope = "publish projects";

/** The OAuth authorization server of an API (RFC 8414, section 2). */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly authorizationEndpoint: URL;
  readonly deviceEndpoint: URL;
  readonly tokenEndpoint: URL;
}

/**
 * Reads the API's authorization server metadata, which shows that it is an API of svc at all.
 *
 * @returns undefined if the API has no dashboard
 * @throws NetworkError; ApiError for 429 and 5xx; UserError if it is no API of svc, or codes or tokens would go to another server
 */
export async function findAuthorizationServer(api: URL): Promise<AuthorizationServer | undefined> {
  const url = new URL(".well-known/oauth-authorization-server", api);
  const headers = { accept: "application/json" };
  const response = await sendWithRetries({ method: "GET", url, headers, timeoutMilliseconds });
  if (response.status === 429 || response.status >= 500) throw errorOf(response, url);
  const metadata = (response.status === 200 && jsonIn(response)) || {};
  const endpoint = (name: string) => urlOf(metadata[name]);
  const authorizationEndpoint = endpoint("authorization_endpoint");
  const deviceEndpoint = endpoint("device_authorization_endpoint");
  const tokenEndpoint = endpoint("token_endpoint");
  const { issuer } = metadata;
  if (!tokenEndpoint || typeof issuer !== "string") throw noApi(api);
  if (issuer === api.origin && (!authorizationEndpoint || !deviceEndpoint)) return undefined;
  const isSameOrigin = [tokenEndpoint, deviceEndpoint].every((url) => url?.origin === api.origin);
  if (
    !isSameOrigin ||
    issuer !== api.origin ||
    !authorizationEndpoint ||
    !deviceEndpoint ||
    !isHttpsOrLocal(authorizationEndpoint)
  )
    throw new UserError(`${api.origin} names another server for logins.`, {
      code: "wrong_authorization_server",
      next: "Check the API URL, or log in with a token: svc login --token -",
    });
  return { issuer: api.origin, authorizationEndpoint, deviceEndpoint, tokenEndpoint };
}

/** A page, another service, or nothing: no token may go there. */
function noApi(api: URL): UserError {
  return new UserError(`${api.href} is no API of svc: it does not say how to log in. No token was sent there.`, {
    code: "no_svc_api",
    next: "Check the URL in --api or SVC_API.",
  });
}

function urlOf(value: unknown): URL | undefined {
  return typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
}

function machineName(): string {
  return (
    hostname()
      .replace(/\.local$/, "")
      .slice(0, 80) || "svc"
  );
}

/**
 * What `svc` asks for: its scopes, this machine's name as that of the token, and, as the only project of the token, the one of svc.toml.
 *
 * @param project slug of the project; undefined: there is no svc.toml, or it names none
 */
export function tokenProposal({ issuer }: AuthorizationServer, project: string | undefined) {
  return {
    scope: requestedScope,
    token_name: machineName(),
    ...(project !== undefined && { resource: projectResource(project, issuer) }),
  };
}

/** The response of a token or device endpoint; `error` is undefined for a success (RFC 6749, section 5.2). */
export interface FormResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly error: string | undefined;
}

/**
 * Posts a form with the client's id.
 *
 * @param tries how often it is sent if nothing was spent
 * @throws NetworkError; ApiError for 429, for 5xx without an error of OAuth, and for `identity_provider_unavailable`
 */
export async function postForm(url: URL, fields: Readonly<Record<string, string>>, tries = 5): Promise<FormResponse> {
  const form = new URLSearchParams({ client_id: clientId, ...fields }).toString();
  const response = await exchange(url, form, tries);
  const body = jsonIn(response) ?? {};
  const { status } = response;
  if (status === 200) return { status, body, error: undefined };
  const { error } = body;
  return { status, body, error: typeof error === "string" ? error : `status ${status}` };
}

/**
 * The token of a token response.
 *
 * @throws UserError for an error response
 */
export function issuedToken({ body, error }: FormResponse): string {
  const { access_token: token } = body;
  if (error === undefined && typeof token === "string") return token;
  throw refused(error ?? "no token", body["error_description"]);
}

/** Makes the error for a refused login. */
export function refused(error: string, description?: unknown): UserError {
  if (error === "access_denied")
    return new UserError("The login was denied in the browser; nothing was saved.", {
      code: "login_denied",
      exitCode: exitCodes.denied,
    });
  const why = typeof description === "string" ? ` ${printable(description)}` : "";
  return new UserError(`The login was refused: ${printable(error)}.${why}`, {
    code: "login_refused",
    exitCode: exitCodes.denied,
    next: "svc login",
  });
}

const timeoutMilliseconds = 30_000;

/** The API could not fetch the keys of an identity provider: nothing was decided, and what was sent is still good. */
const unverified = "identity_provider_unavailable";

/** Sends a form, and again if nothing was spent: if no function has seen it, or if the API could not verify an identity token. */
async function exchange(url: URL, form: string, tries: number): Promise<HttpResponse> {
  const headers = { accept: "application/json", "content-type": "application/x-www-form-urlencoded" };
  const attempt = async () => {
    const sent = send({ method: "POST", url, headers, body: form, timeoutMilliseconds });
    const response = await sent.catch((failure: unknown) => throwFinal(failure, url));
    const { error, error_description: why } = jsonIn(response) ?? {};
    const isGateways = response.status >= 500 && typeof error !== "string";
    const refusal = errorOf(response, url);
    if (error === unverified) throw new ApiError({ ...refusal, code: unverified, detail: String(why) });
    if (response.status === 429 || isGateways) throw refusal;
    return response;
  };
  const mayRepeat = (failure: unknown) =>
    isUnhandled(failure) || (failure instanceof ApiError && failure.code === unverified);
  return await withRetries(attempt, {
    tries,
    retryFor: (failure) => (mayRepeat(failure) ? retryFor(failure) : undefined),
  });
}
