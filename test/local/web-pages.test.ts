import { once } from "node:events";
import { stat } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { idTokenPath } from "../../local/identity-provider/identity-provider.ts";
import { actorsOf } from "../support/service/actors.ts";
import { startService } from "../support/service/service.ts";
import { newProject, publish } from "../support/service/steps.ts";
import { useService } from "../support/service/suite.ts";

const service = useService({ env: { DYNAMODB_ENDPOINT: undefined, SVC_WEB_ORIGINS: "http://localhost:5173" } });

interface Response {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Sends a request with any Host, as a browser does for a name that another site has pointed at this machine. */
async function send(url: string, headers: Record<string, string>, method = "GET", body = ""): Promise<Response> {
  const sent = request(url, { method, headers, agent: false }).end(body);
  const [response] = await once(sent, "response");
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

const parts = ["api", "issuer", "s3Endpoint", "dynamodbEndpoint"] as const;

describe.each(parts)("the local service's %s", (part) => {
  test.each([{ host: "evil.example" }, { origin: "https://evil.example" }, { origin: "http://localhost:1" }])(
    "refuses %j, and lets no page read that",
    async (headers) => {
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const asked = { ...headers, "access-control-request-method": "POST" };
        const response = await send(service[part], asked, method);
        expect(response.status).toBe(403);
        expect(response.headers).not.toHaveProperty("access-control-allow-origin");
      }
    },
  );
});

test.each(["issuer", "dynamodbEndpoint"] as const)("the %s has no CORS headers for any page", async (part) => {
  const origin = new URL(service[part]).origin;
  for (const headers of [{}, { origin }]) {
    const { headers: received } = await send(`${service[part]}/jwks`, headers);
    expect(Object.keys(received).filter((name) => name.startsWith("access-control-"))).toEqual([]);
  }
});

test("the engine also refuses requests of pages at the service's own port", async () => {
  expect((await send(service.dynamodbEndpoint, { origin: new URL(service.api).origin })).status).toBe(403);
});

describe("an ID token", () => {
  const claims = JSON.stringify({ sub: "victim" });

  test.each([undefined, "Bearer ", "Bearer undefined", `Bearer ${"x".repeat(43)}`, `Bearer ${"é".repeat(43)}`])(
    "is not issued for the Authorization header %j",
    async (authorization) => {
      const url = `${service.issuer}${idTokenPath}`;
      const headers =
        authorization === undefined ? {} : { authorization: Buffer.from(authorization).toString("latin1") };
      expect(await send(url, headers, "POST", claims)).toMatchObject({ status: 401 });
    },
  );

  test("is not issued at any other path", async () => {
    const form = { "content-type": "application/x-www-form-urlencoded" };
    for (const body of [
      "grant_type=client_credentials",
      "grant_type=password&username=ada",
      "grant_type=refresh_token",
    ])
      expect((await send(`${service.issuer}/token`, form, "POST", body)).body).not.toContain("eyJ");
  });

  test("is issued with a secret that only this user can read, and that is deleted with the service", async () => {
    const other = await startService({ env: { DYNAMODB_ENDPOINT: undefined } });
    const folder = fileURLToPath(new URL("../../build/start-secrets/", import.meta.url));
    const file = join(folder, new URL(other.issuer).port);
    const modes = [await stat(file), await stat(folder)].map(({ mode }) => mode & 0o777);
    await other.stop();
    expect(modes).toEqual([0o600, 0o700]);
    await expect(stat(file)).rejects.toThrow("ENOENT");
  });
});

test("the store lets a published page read, and one of a game's own origin upload, but not download releases", async () => {
  // The unsigned request of a page that may send it gets as far as the check of its signature.
  const says = (text: string) => expect.objectContaining({ body: expect.stringContaining(text) });
  const object = `${service.s3Endpoint}/${service.bucketName}/object`;
  const game = `http://game.${new URL(service.dashboard).host.replace("dashboard.", "")}`;
  expect(await send(object, { origin: game }, "PUT", "bytes")).toEqual(says("Access Denied"));
  expect(await send(object, { origin: "null" }, "PUT", "bytes")).toEqual(says("The Origin header"));
  for (const origin of ["null", game]) {
    expect(await send(object, { origin })).toEqual(says("Access Denied"));
    const download = { "access-control-request-method": "GET", "access-control-request-headers": "svc-older-file" };
    expect(await send(object, { origin, ...download }, "OPTIONS")).toEqual(says("The Origin header"));
    expect(await send(object, { origin: service.dashboard, ...download }, "OPTIONS")).toMatchObject({ status: 200 });
  }
});

describe("the API responds to a page", () => {
  test.each(["localhost", "127.0.0.1", "dashboard.localhost"])("of %s at its own port", async (name) => {
    const origin = `http://${name}:${new URL(service.api).port}`;
    expect(await send(`${service.api}/health`, { origin })).toMatchObject({ status: 200 });
  });

  test("of an origin that SVC_WEB_ORIGINS names", async () => {
    expect(await send(`${service.api}/health`, { origin: "http://localhost:5173" })).toMatchObject({ status: 200 });
  });

  test("that was published, sandboxed or on its own host, only with published files", async () => {
    const developer = await actorsOf(service).developer();
    const slug = await newProject(developer);
    await publish(developer, slug, { "index.html": "<p>mine</p>" });
    const file = `${service.api}/projects/${slug}/files/index.html`;
    for (const origin of ["null", `http://${slug}.${service.gamesDomain}`]) {
      expect(await send(file, { origin })).toMatchObject({ status: 200, body: "<p>mine</p>" });
      const preflight = { origin, "access-control-request-method": "GET" };
      expect(await send(file, preflight, "OPTIONS")).toMatchObject({ status: 204 });
      expect(await send(`${service.api}/health`, { origin })).toMatchObject({ status: 403 });
      expect(await send(`${service.api}/auth/session`, { origin }, "POST")).toMatchObject({ status: 403 });
    }
  });
});
