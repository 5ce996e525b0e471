import { hostname } from "node:os";
import { isLoopback } from "../api-address.ts";
import { exitCodes, UserError } from "../errors.ts";
import { type HttpResponse, send } from "../http/send.ts";
import { printable } from "../text.ts";

/** The command line at every stage's authorization server: a public client without a secret. */
export const clientId = "svc-cli";

export const requestedScope = "publish projects";

/** Where an API gives tokens to command lines (RFC 8414, section 2). */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly authorizationEndpoint: URL;
  readonly deviceEndpoint: URL;
  readonly tokenEndpoint: URL;
}

/**
 * Asks the API where people approve command lines.
 *
 * @returns undefined where it names no dashboard, or is older than this way to log in
 * @throws NetworkError; UserError where codes or tokens would go to somebody else
 */
export async function findAuthorizationServer(api: URL): Promise<AuthorizationServer | undefined> {
  const response = await exchange("GET", new URL(".well-known/oauth-authorization-server", api));
  const metadata = response.status === 200 ? jsonOf(response) : {};
  const endpoint = (name: string) => urlOf(metadata[name]);
  const authorizationEndpoint = endpoint("authorization_endpoint");
  const deviceEndpoint = endpoint("device_authorization_endpoint");
  const tokenEndpoint = endpoint("token_endpoint");
  if (!authorizationEndpoint || !deviceEndpoint || !tokenEndpoint) return undefined;
  const isApis = [tokenEndpoint, deviceEndpoint].every(({ origin }) => origin === api.origin);
  if (!isApis || metadata["issuer"] !== api.origin || !isSafe(authorizationEndpoint))
    throw new UserError(`${api.origin} sends logins to somebody else.`, {
      code: "wrong_authorization_server",
      next: "Check the address of the API, or log in with a token: svc login --token -",
    });
  return { issuer: api.origin, authorizationEndpoint, deviceEndpoint, tokenEndpoint };
}

/** A browser opens it, so it must be a page, over https or on this machine. */
function isSafe({ protocol, hostname: name }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(name));
}

function urlOf(value: unknown): URL | undefined {
  return typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
}

/** What the token is called unless the person changes it: this machine's name. */
export function machineName(): string {
  return (
    hostname()
      .replace(/\.local$/, "")
      .slice(0, 80) || "svc"
  );
}

/** A token, or the error that the server answered with (RFC 6749, section 5.2). */
export type FormResponse = { readonly body: Readonly<Record<string, unknown>>; readonly error: string | undefined };

/** Posts a form of a public client. */
export async function postForm(url: URL, fields: Readonly<Record<string, string>>): Promise<FormResponse> {
  const response = await exchange("POST", url, new URLSearchParams({ client_id: clientId, ...fields }).toString());
  const body = jsonOf(response);
  if (response.status === 200) return { body, error: undefined };
  const { error } = body;
  return { body, error: typeof error === "string" ? error : `status ${response.status}` };
}

/** The token of a successful token response. */
export function tokenOf({ body, error }: FormResponse): string {
  const { access_token: token } = body;
  if (error === undefined && typeof token === "string") return token;
  throw refused(error ?? "no token", body["error_description"]);
}

/** What a server that refuses says, and what to do. */
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
