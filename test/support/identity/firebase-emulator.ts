import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { readIdToken } from "../../../dashboard/src/sign-in/sign-in.ts";
import { startHttpServer } from "../network/http-server.ts";
import { startIdentityProvider } from "./identity-provider.ts";

export type FirebaseEmulator = Awaited<ReturnType<typeof startFirebaseEmulator>>;

interface Session {
  readonly name: string;
  /** When they signed in, in seconds since 1970. */
  readonly at: number;
}

/**
 * Requests of Firebase's library to the Authentication emulator to sign in with Google, to renew and to restore a session.
 * Unlike the emulator's, its ID tokens are signed, and the requests of renewals are counted.
 */
export async function startFirebaseEmulator(project: string) {
  const keys = await startIdentityProvider(project);
  const sessions = new Map<string, Session>();
  const windows: URLSearchParams[] = [];
  let renewals = 0;
  let refusal: string | undefined;

  function tokensOf(session: Session) {
    const refreshToken = randomUUID();
    sessions.set(refreshToken, session);
    const { name, at } = session;
    const claims = {
      iss: `https://securetoken.google.com/${project}`,
      sub: name,
      name,
      auth_time: at,
      jti: refreshToken,
    };
    return { idToken: keys.idToken({ claims }), refreshToken };
  }

  const routes: Record<string, (body: string) => { status: number; body: object }> = {
    "/identitytoolkit.googleapis.com/v1/accounts:signInWithIdp": (body) => {
      const name = new URLSearchParams(JSON.parse(body).postBody).get("name") ?? "";
      return ok({ ...tokensOf({ name, at: now() }), expiresIn: "3600", localId: name, providerId: "google.com" });
    },
    "/identitytoolkit.googleapis.com/v1/accounts:lookup": (body) =>
      ok({ users: [{ localId: readIdToken(JSON.parse(body).idToken).subject }] }),
    "/securetoken.googleapis.com/v1/token": (body) => {
      renewals += 1;
      const session = sessions.get(new URLSearchParams(body).get("refresh_token") ?? "");
      if (session === undefined || refusal !== undefined)
        return { status: 400, body: { error: { code: 400, message: refusal ?? "INVALID_REFRESH_TOKEN" } } };
      const { idToken, refreshToken } = tokensOf(session);
      return ok({ access_token: idToken, id_token: idToken, refresh_token: refreshToken, expires_in: "3600" });
    },
  };

  async function respond(request: IncomingMessage): Promise<{ status: number; type?: string; body: string }> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://emulator");
    if (request.method === "OPTIONS") return { status: 204, body: "" };
    if (pathname === "/emulator/auth/iframe") return { status: 200, type: "text/html", body: iframe };
    if (pathname === "/emulator/auth/handler") {
      windows.push(searchParams);
      return { status: 200, type: "text/html", body: handler };
    }
    const { status, body } = routes[pathname]?.(await text(request)) ?? { status: 404, body: {} };
    return { status, body: JSON.stringify(body) };
  }

  const server = await startHttpServer(async (request, response) => {
    const { status, type = "application/json", body } = await respond(request);
    const headers = request.headers["access-control-request-headers"] ?? "";
    const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": headers };
    response.writeHead(status, { ...cors, "content-type": type }).end(body);
  });
  return {
    host: new URL(server.endpoint).host,
    jwksUri: keys.jwksUri,
    /** An ID token of Ada, who signed in so long ago. */
    idToken: ({ sinceSeconds }: { sinceSeconds: number }) =>
      tokensOf({ name: "Ada Lovelace", at: now() - sinceSeconds }).idToken,
    /** The queries with which its window was opened. */
    windows: windows as readonly URLSearchParams[],
    /** Number of times that an ID token was renewed, or should have been. */
    get renewals() {
      return renewals;
    },
    /** Refuses to renew with this error of the real service; undefined: it renews again. */
    refuse(message: string | undefined): void {
      refusal = message;
    },
    stop: () => Promise.all([server.stop(), keys.stop()]).then(() => undefined),
  };
}

function now(): number {
  return Math.floor(Date.now() / 1_000);
}

function ok(body: object) {
  return { status: 200, body };
}

/** Gives what its window says to the page around it. */
const iframe = "<script>onmessage = ({ data }) => parent.postMessage(data, '*')</script>";

/** The window: who is in it says so to the library's frame in the page that has opened it. */
const handler = `<!doctype html><title>Emulator</title><button>Ada Lovelace</button><button>Grace Hopper</button><script>
  onclick = ({ target }) => {
    const query = new URLSearchParams(location.search);
    opener.frames[0].postMessage({ authEvent: {
      type: query.get("authType"), eventId: query.get("eventId"), urlResponse: location.href, sessionId: "1",
      postBody: "name=" + target.innerText, tenantId: null, error: null,
    } }, "*");
  };
</script>`;

/** Google's script of frames, as far as Firebase's library uses it: it loads this from apis.google.com. */
export const gapi = `(() => {
  const open = ({ where, url }, opened) => {
    const frame = document.createElement("iframe");
    const isLoaded = new Promise((resolve) => { frame.onload = resolve; });
    Object.assign(frame, { src: url, hidden: true });
    where.append(frame);
    return opened({
      restyle: async () => {},
      ping: (done) => isLoaded.then(done),
      register: (_, handle) =>
        addEventListener("message", ({ source, data }) => source === frame.contentWindow && handle(data)),
      send: (name, _, respond) => isLoaded.then(() => respond([{ [name]: true }])).catch(() => {}),
    });
  };
  const iframes = { getContext: () => ({ open }) };
  window.gapi = { load: (_, { callback }) => { window.gapi.iframes = iframes; callback(); } };
  window[new URL(document.currentScript.src).searchParams.get("onload")]();
})();`;
