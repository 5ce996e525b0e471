import { once } from "node:events";
import { createServer } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "@jest/globals";
import { freePort, startDynamodbEngine } from "../../../local/table/dynamodb-engine.ts";
import { createCertificate } from "../../support/network/certificate.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { runProgram } from "../../support/program.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { startService } from "../../support/service/service.ts";
import { newProject, publish } from "../../support/service/steps.ts";
import { useServers } from "../../support/service/suite.ts";

/** These tests are about the embedded engine, also if the other suites run against another one. */
const embedded = { DYNAMODB_ENDPOINT: undefined };
const start = useServers();

test("an external engine that does not respond is reported in one sentence", async () => {
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const result = await runProgram("programs/local.ts", [], { PORT: "0", IDP_PORT: "0", DYNAMODB_ENDPOINT: endpoint });
  expect(result).toEqual({
    code: 1,
    stdout: "",
    stderr: `No DynamoDB engine runs at ${endpoint}. Start it, or unset DYNAMODB_ENDPOINT.\n`,
  });
});

test("an external engine with its own credentials works with the embedded store", async () => {
  const engine = await startDynamodbEngine(undefined);
  const own = { AWS_ACCESS_KEY_ID: "AKIAMYOWN", AWS_SECRET_ACCESS_KEY: "my-own-secret" };
  const service = await startService({ env: { DYNAMODB_ENDPOINT: engine.endpoint, ...own } });
  try {
    const developer = await actorsOf(service).developer();
    const slug = await newProject(developer);
    await publish(developer, slug, { "index.html": "<p>mine</p>" });
    expect((await actorsOf(service).anonymous.get(`/projects/${slug}/files/index.html`)).body).toBe("<p>mine</p>");
  } finally {
    await service.stop();
    await engine.stop();
  }
});

test("with an external provider, the service says from where to get an ID token", async () => {
  const IDP_ISSUER = "https://id.example";
  const service = await startService({ env: { ...embedded, IDP_ISSUER, IDP_JWKS_URI: `${IDP_ISSUER}/jwks` } });
  await service.stop();
  expect(service.output()).toContain("An ID token:         from https://id.example, for the audience svc-local\n");
  expect(service.output()).not.toContain("npm run --silent id-token");
});

test("an external store that does not make the required checks is refused at the start", async () => {
  const { endpoint } = await start(startHttpServer((_, response) => response.end()));
  const started = startService({ env: { S3_ENDPOINT: endpoint } });
  await expect(started).rejects.toThrow("does not check x-amz-checksum-sha256");
});

describe("with another identity provider", () => {
  /** A provider whose discovery document is this. */
  async function discovery(document: (issuer: string) => unknown, server = createServer()) {
    let issuer = "";
    server.on("request", (_, response) => response.end(JSON.stringify(document(issuer))));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    issuer = `${server instanceof https.Server ? "https" : "http"}://127.0.0.1:${port}`;
    const result = await runProgram("programs/local.ts", [], { PORT: "0", IDP_ISSUER: issuer });
    server.close().closeAllConnections();
    return { ...result, issuer };
  }

  test("the issuer of its discovery document must be the configured one", async () => {
    const { code, stderr, issuer } = await discovery((url) => ({ issuer: `${url}/`, jwks_uri: url }));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `${issuer}/.well-known/openid-configuration says that the issuer is "${issuer}/". If this is your provider, set IDP_ISSUER to exactly that.\n`,
    });
  });

  test("a document without keys has its own error", async () => {
    const { code, stderr, issuer } = await discovery((url) => ({ issuer: url }));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `${issuer}/.well-known/openid-configuration does not say where the keys of IDP_ISSUER are. Set IDP_JWKS_URI.\n`,
    });
  });

  test("a certificate that is not trusted has its own error", async () => {
    const server = https.createServer({ ...createCertificate("localhost") });
    const { code, stderr } = await discovery((url) => ({ issuer: url }), server);
    expect(code).toBe(1);
    expect(stderr).toContain("its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT). Set NODE_EXTRA_CA_CERTS");
  });

  test("that does not respond, the error has the reason", async () => {
    const issuer = `http://127.0.0.1:${await freePort()}`;
    const { stderr } = await runProgram("programs/local.ts", [], { PORT: "0", IDP_ISSUER: issuer });
    expect(stderr).toBe(
      `${issuer}/.well-known/openid-configuration could not be read: ECONNREFUSED. Or set IDP_JWKS_URI.\n`,
    );
  });
});

test("IDP_AUTH_EMULATOR_HOST and a project are enough for the Firebase emulator, and the banner warns", async () => {
  const env = { ...embedded, IDP_AUTH_EMULATOR_HOST: "127.0.0.1:9099", IDP_AUDIENCE: "demo-project" };
  const emulated = await startService({ env });
  const now = Math.floor(Date.now() / 1_000);
  // Claims that the emulator issues to whoever signs up with an email address: firebase.google.com/docs/emulator-suite/connect_auth
  const claims = {
    email: "ada@example.test",
    email_verified: false,
    auth_time: now,
    user_id: "kEmXgNVkBmOo3JwUu3HmZCQbG6Xz",
    firebase: { identities: { email: ["ada@example.test"] }, sign_in_provider: "password" },
    iat: now,
    exp: now + 3_600,
    aud: "demo-project",
    iss: "https://securetoken.google.com/demo-project",
    sub: "kEmXgNVkBmOo3JwUu3HmZCQbG6Xz",
  };
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const idToken = `${encode({ alg: "none", typ: "JWT" })}.${encode(claims)}.`;
  const signedIn = await actorsOf(emulated)
    .bearer(idToken)
    .post("/auth/session", { role: "dev" })
    .finally(() => emulated.stop());
  expect(signedIn).toMatchObject({ status: 201, body: { user: { uid: claims.sub, email: "ada@example.test" } } });
  expect(emulated.output()).toContain("WARNING: IDP_AUTH_EMULATOR_HOST is set. UNSIGNED ID tokens are accepted");
});
