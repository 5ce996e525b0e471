import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Responses at once what npm, GitHub and Cloudflare response to a client that asks who it is. */
export async function startWhoamiServer(): Promise<{ endpoint: string; server: Server }> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "application/json", "x-oauth-scopes": "repo, read:org" });
    response.end(JSON.stringify(answerTo(request)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

function answerTo({ url = "" }: IncomingMessage): object {
  if (url.endsWith("/-/whoami")) return { username: "ada" };
  if (url.includes("graphql")) return { data: { viewer: { login: "ada" } } };
  const cloudflare = (result: unknown) => ({ success: true, errors: [], messages: [], result });
  if (url.includes("/tokens/verify")) return cloudflare({ id: "1", status: "active" });
  if (url.includes("/user")) return cloudflare({ id: "1", email: "ada@example.test" });
  const account = { id: "1", name: "Ada" };
  if (url.includes("/memberships")) return cloudflare([{ id: "1", status: "accepted", roles: ["Admin"], account }]);
  return cloudflare([account]);
}
