import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Certificate } from "./certificate.ts";

/** A request as the server got it. */
export interface SeenRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly at: number;
}

export interface MisbehavingServer {
  readonly origin: string;
  readonly port: number;
  readonly requests: SeenRequest[];
  stop(): Promise<void>;
}

/** Its return value does not matter; a promise is not waited for. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse, number: number) => unknown;

/** A real server on a free port that does with every request what `behave` says; `number` counts them from 1. */
export async function startMisbehavingServer(behave: Behaviour, certificate?: Certificate): Promise<MisbehavingServer> {
  const requests: SeenRequest[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const { method, url, headers } = request;
    requests.push({ method, url, authorization: headers.authorization, at: Date.now() });
    void behave(request, response, requests.length);
  };
  const server = certificate ? createHttpsServer(certificate, listener) : createHttpServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${certificate ? "https" : "http"}://127.0.0.1:${port}`,
    port,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The metadata of an API without a dashboard, which svc login reads before it asks for a token. */
export function metadataOf(origin: string) {
  return { issuer: origin, token_endpoint: `${origin}/oauth/token` };
}

/** The response of a working API to `GET /me` with a token. */
export const goodMe = {
  user: {
    uid: "ada",
    name: "Ada Lovelace",
    avatar: null,
    email: "ada@example.test",
    email_verified: true,
    role: "dev",
    created_at: "2026-01-01T00:00:00.000Z",
    release_mails: true,
  },
  developer: { display_name: null, bio: null, created_at: "2026-01-01T00:00:00.000Z" },
  auth: {
    kind: "token",
    token_id: "t1",
    name: "laptop",
    scopes: ["publish"],
    projects: null,
    expires_at: "2126-01-01T00:00:00.000Z",
  },
  suspension: null,
  storage: {
    ...{ bytes: 0, objects: 0 },
    ...{ limit: { bytes: 1_000, objects: 10 }, project_limit: { bytes: 1_000, objects: 10 } },
  },
};

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  const type = status >= 400 ? "application/problem+json" : "application/json";
  response.writeHead(status, { "content-type": type, ...headers }).end(JSON.stringify(body));
}

/** A working API without a dashboard, for every path that svc reads when it logs in and says who is logged in. */
export const respondAsGoodApi: Behaviour = ({ url, headers }, response) =>
  sendJson(response, 200, url?.startsWith("/.well-known/") ? metadataOf(`http://${headers.host}`) : goodMe);
