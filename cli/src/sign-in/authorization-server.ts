import { hostname } from "node:os";
import { isHttpsOrLocal } from "../api-url.ts";
import { exitCodes, UserError } from "../errors.ts";
import { ApiError, problem } from "../http/problem.ts";
import { withRetries } from "../http/retry.ts";
import { type HttpResponse, send } from "../http/send.ts";
import { printable } from "../text.ts";

/** The OAuth client that `svc` is: public, without a secret. Every stage knows it. */
export const clientId = "svc-cli";

export const requestedScope = "publish projects";

/** The OAuth authorization server of an API (RFC 8414, section 2). */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly authorizationEndpoint: URL;
  readonly deviceEndpoint: URL;
  readonly tokenEndpoint: URL;
}

/**
 * Reads the API's authorization server metadata.
 *
 * @returns undefined if the API has no dashboard
 * @throws NetworkError; ApiError for 429 and 5xx; UserError if codes or tokens would go to another server than the API
 */
export async function findAuthorizationServer(api: URL): Promise<AuthorizationServer | undefined> {
  const response = await exchange("GET", new URL(".well-known/oauth-authorization-server", api));
  const metadata = response.status === 200 ? jsonOf(response) : {};
  const endpoint = (name: string) => urlOf(metadata[name]);
  const authorizationEndpoint = endpoint("authorization_endpoint");
  const deviceEndpoint = endpoint("device_authorization_endpoint");
  const tokenEndpoint = endpoint("token_endpoint");
  if (!authorizationEndpoint || !deviceEndpoint || !tokenEndpoint) return undefined;
  const isSameOrigin = [tokenEndpoint, deviceEndpoint].every(({ origin }) => origin === api.origin);
  if (!isSameOrigin || metadata["issuer"] !== api.origin || !isHttpsOrLocal(authorizationEndpoint))
    throw new UserError(`${api.origin} names another server for logins.`, {
      code: "wrong_authorization_server",
      next: "Check the API URL, or log in with a token: svc login --token -",
    });
  return { issuer: api.origin, authorizationEndpoint, deviceEndpoint, tokenEndpoint };
}

function urlOf(value: unknown): URL | undefined {
  return typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
}

/** This machine's name, which is the proposed name of the token. */
export function machineName(): string {
  return (
    hostname()
      .replace(/\.local$/, "")
      .slice(0, 80) || "svc"
  );
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
 * @throws NetworkError; ApiError as {@link exchange}
 */
export async function postForm(
  url: URL,
  fields: Readonly<Record<string, string>>,
  tries?: number,
): Promise<FormResponse> {
  const form = new URLSearchParams({ client_id: clientId, ...fields }).toString();
  const response = await exchange("POST", url, { form, tries });
  const body = jsonOf(response);
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

function jsonOf({ body }: HttpResponse): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The API could not fetch the keys of an identity provider: nothing was decided, and what was sent is still good. */
const unverified = "identity_provider_unavailable";

/**
 * Sends a request, and again if nothing was spent: if API Gateway refused it with 429, so that no function has seen it, or
 * if the API could not verify an identity token.
 *
 * @throws NetworkError; ApiError for 429, for 5xx without an error of OAuth, and for `identity_provider_unavailable`
 */
async function exchange(
  method: string,
  url: URL,
  { form, tries = 5 }: { form?: string; tries?: number | undefined } = {},
) {
  const type = form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" };
  const headers = { accept: "application/json", ...type };
  const request = { method, url, headers, body: form, timeoutMilliseconds: 30_000 };
  const attempt = async () => {
    const response = await send(request);
    const { error, error_description: why } = jsonOf(response);
    if (error === unverified) throw new ApiError(printable(String(why)), response, { code: unverified });
    const isGateways = response.status >= 500 && typeof error !== "string";
    if (response.status === 429 || isGateways) throw problem(response, url.origin);
    return response;
  };
  return await withRetries(attempt, {
    tries,
    retryFor: (failure) =>
      failure instanceof ApiError && (failure.status === 429 || failure.code === unverified)
        ? { why: failure.message, afterMilliseconds: failure.retryAfterMilliseconds }
        : undefined,
  });
}
