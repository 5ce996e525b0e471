import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { openInBrowser } from "../browser.ts";
import { UserError } from "../errors.ts";
import {
  type AuthorizationServer,
  clientId,
  issuedToken,
  postForm,
  refused,
  tokenProposal,
} from "./authorization-server.ts";
import { type PrivatePage, privatePage } from "./private-page.ts";

const waitMilliseconds = 10 * 60_000;

/**
 * Logs in through the browser: authorization code with PKCE, and a redirect to a server on 127.0.0.1 (RFC 8252, section 7.3).
 *
 * @param project slug of the project that it is proposed for
 * @param show prints a line for the person
 * @throws UserError if the person denies the login or does nothing for ten minutes
 */
export async function logInWithBrowser(
  server: AuthorizationServer,
  project: string | undefined,
  show: (line: string) => void,
): Promise<string> {
  const verifier = randomBytes(32).toString("base64url");
  const state = randomBytes(16).toString("base64url");
  const local = createServer();
  local.listen(0, "127.0.0.1");
  await once(local, "listening");
  let page: PrivatePage | undefined;
  try {
    const redirectUri = `http://127.0.0.1:${(local.address() as AddressInfo).port}/`;
    const url = authorizationUrl(server, { redirectUri, state, verifier, project });
    show("Approve this login in the browser within 10 minutes. If none opens, open this URL:");
    show(url.href);
    show("On a machine without a browser: svc login --device. Ctrl-C stops the login.");
    page = privatePage(url);
    openInBrowser(page);
    const code = await codeOfRedirect(local, state, server.issuer);
    const fields = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier };
    return issuedToken(await postForm(server.tokenEndpoint, fields));
  } finally {
    page?.remove();
    local.close();
    local.closeAllConnections();
  }
}

function authorizationUrl(
  server: AuthorizationServer,
  request: { redirectUri: string; state: string; verifier: string; project: string | undefined },
): URL {
  const { redirectUri, state, verifier, project } = request;
  const url = new URL(server.authorizationEndpoint);
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    ...tokenProposal(server, project),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

/** Waits for the redirect with the code. Ignores requests without the `state` of this login. */
async function codeOfRedirect(local: Server, state: string, issuer: string): Promise<string> {
  const query = await new Promise<URLSearchParams>((resolve, reject) => {
    const timer = setTimeout(() => reject(notApproved()), waitMilliseconds);
    local.on("request", (request, response) => {
      const parameters = request.method === "GET" ? queryOf(request.url) : undefined;
      const isOurs = parameters?.get("state") === state;
      response.writeHead(isOurs ? 200 : 404, pageHeaders);
      response.end(isOurs ? endPage(parameters.has("code")) : undefined, () => {
        if (!isOurs) return;
        clearTimeout(timer);
        resolve(parameters);
      });
    });
  });
  const code = query.get("code");
  if (code === null) throw refused(query.get("error") ?? "no code");
  // A code of another authorization server must not be sent to this one (RFC 9207, section 2.4).
  if (query.get("iss") !== issuer) throw refused("the code is from another server");
  return code;
}

/** The query of a request for `/`. Other programs may send anything, as `//`, which is no URL. */
function queryOf(target = "/"): URLSearchParams | undefined {
  return /^\/(?:\?|$)/.test(target) ? new URLSearchParams(target.slice(2)) : undefined;
}

function notApproved(): UserError {
  return new UserError("Nobody approved the login within ten minutes; nothing was saved.", {
    code: "login_timed_out",
    next: "svc login, or svc login --device",
  });
}

/** As the pages of the dashboard look. */
const style = `:root{color-scheme:light dark;font:1.125rem/1.5 system-ui,sans-serif;background:light-dark(#f6f5f2,#14151b);color:light-dark(#1d1c22,#f1f0f4)}
main{max-width:32rem;margin:20vh auto;padding:1rem}h1{line-height:1.2}`;

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; img-src data:; frame-ancestors 'none'`,
  "referrer-policy": "no-referrer",
  connection: "close",
};

function endPage(isApproved: boolean): string {
  const sentence = isApproved ? "The command line is signed in." : "The login was denied.";
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>${sentence}</title>
<style>${style}</style>
<main><h1>${sentence}</h1><p>${isApproved ? "Go back to the terminal, where svc publish publishes a game." : "To try again: svc login."} You can close this tab.</p></main>
`;
}
