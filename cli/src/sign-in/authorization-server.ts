import { hostname } from "node:os";
import { isLoopback } from "../api-url.ts";
import { exitCodes, UserError } from "../errors.ts";
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
 * @returns undefined where the API has no dashboard, or is older than this way to log in
 * @throws NetworkError; UserError where codes or tokens would go to another server than the API
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
  if (!isSameOrigin || metadata["issuer"] !== api.origin || !isSafe(authorizationEndpoint))
    throw new UserError(`${api.origin} names another server for logins.`, {
      code: "wrong_authorization_server",
      next: "Check the API URL, or log in with a token: svc login --token -",
    });
  return { issuer: api.origin, authorizationEndpoint, deviceEndpoint, tokenEndpoint };
}

/** https, or http on this machine: a browser opens this URL. */
function isSafe({ protocol, hostname: name }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(name));
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
export type FormResponse = { readonly body: Readonly<Record<string, unknown>>; readonly error: string | undefined };

/** Posts a form with the client's id. */
export async function postForm(url: URL, fields: Readonly<Record<string, string>>): Promise<FormResponse> {
  const response = await exchange("POST", url, new URLSearchParams({ client_id: clientId, ...fields }).toString());
  const body = jsonOf(response);
  if (response.status === 200) return { body, error: undefined };
  const { error } = body;
  return { body, error: typeof error === "string" ? error : `status ${response.status}` };
}

/**
 * The token of a token response.
 *
 * @throws UserError for an error response
 */
export function tokenOf({ body, error }: FormResponse): string {
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

async function exchange(method: string, url: URL, form?: string): Promise<HttpResponse> {
  const type = form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" };
  const headers = { accept: "application/json", ...type };
  return await send({ method, url, headers, body: form, timeoutMilliseconds: 30_000, environment: process.env });
}
