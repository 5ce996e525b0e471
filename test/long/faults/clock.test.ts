import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Part } from "../../../local/part.ts";
import { startDynamodbEngine } from "../../../local/table/dynamodb-engine.ts";
import type { IdentityProvider } from "../../support/identity/identity-provider.ts";
import { type Actors, actorsOf, type Developer } from "../../support/service/actors.ts";
import type { TestService } from "../../support/service/service.ts";
import { newProject, publish } from "../../support/service/steps.ts";
import { type RecordedStore, startRecordedStore } from "../../support/store/store-recorder.ts";
import { startServiceWithProvider } from "../security/provider-service.ts";

/*
 * The identity provider, the object store and the client have the right time; the service is almost a minute ahead or
 * behind. Two functions of one service, with the same table and store, may also differ from each other.
 */
const skewSeconds = 55;

let engine: Part;
let store: RecordedStore;
let ahead: SkewedService;
let behind: SkewedService;

type SkewedService = TestService & { provider: IdentityProvider };

beforeAll(async () => {
  [engine, store] = await Promise.all([startDynamodbEngine(undefined), startRecordedStore()]);
  const TABLE_NAME = `svc-test-${randomUUID()}`;
  ahead = await startSkewed(skewSeconds, TABLE_NAME);
  behind = await startSkewed(-skewSeconds, TABLE_NAME, ahead.provider);
});

afterAll(async () => {
  await Promise.all([ahead?.stop(), behind?.stop()]);
  await Promise.all([engine?.stop(), store?.stop()]);
});

function startSkewed(seconds: number, TABLE_NAME: string, provider?: IdentityProvider): Promise<SkewedService> {
  return startServiceWithProvider({
    dynamodbEndpoint: engine.endpoint,
    env: {
      NODE_OPTIONS: `--import=${fileURLToPath(new URL("../../support/shift-clock.mjs", import.meta.url))}`,
      CLOCK_SHIFT_SECONDS: String(seconds),
      TABLE_NAME,
      S3_ENDPOINT: store.endpoint,
      BUCKET_NAME: store.bucketName,
      ...(provider && { IDP_ISSUER: provider.issuer, IDP_JWKS_URI: provider.jwksUri }),
    },
  });
}

/** The same developer, as the other service's caller. */
function at(service: TestService, { credential }: Developer) {
  return actorsOf(service).bearer(credential);
}

const now = () => Math.floor(Date.now() / 1_000);

describe.each([
  ["ahead", skewSeconds, () => ahead],
  ["behind", -skewSeconds, () => behind],
])("a service whose clock is 55 seconds %s", (_, seconds, serviceOf) => {
  let service: SkewedService;
  let actors: Actors;

  beforeAll(() => {
    service = serviceOf();
    actors = actorsOf({ ...service, idToken: async (claims) => ahead.provider.idToken({ claims }) });
  });

  test("has that clock", async () => {
    const stranger = await actors.stranger();
    const sentAt = Date.now();
    const { body } = await stranger.post("/auth/session");
    const createdAt = Date.parse(body.user.created_at) - seconds * 1_000;
    expect(createdAt).toBeGreaterThanOrEqual(sentAt);
    expect(createdAt).toBeLessThanOrEqual(Date.now());
  });

  test("accepts ID tokens that were issued this second, and those with a lifetime of a few seconds", async () => {
    const fresh = await actors.stranger({ iat: now(), nbf: now() });
    expect((await fresh.post("/auth/session")).status).toBe(201);
    const brief = await actors.stranger({ iat: now(), exp: now() + 10 });
    expect((await brief.post("/auth/session")).status).toBe(201);
  });

  test("refuses ID tokens that expired two minutes ago", async () => {
    const late = await actors.stranger({ iat: now() - 3_600, exp: now() - 120 });
    expect(await late.post("/auth/session")).toMatchObject({ status: 401, body: { code: "id_token_expired" } });
  });

  test("accepts tokens until their expiry or revocation, and publishes", async () => {
    const ada = await actors.developer();
    const { body } = await ada.post("/tokens", { name: "CI", scopes: ["publish"], expires_in_days: 1 });
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(86_400_000);
    const slug = await newProject(ada);
    const token = actors.bearer(body.token);
    const release = await publish(token, slug, { "index.html": "<p>skewed</p>" });
    expect((await actors.anonymous.get(`/projects/${slug}/files/index.html`)).body).toBe("<p>skewed</p>");
    expect((await actors.anonymous.get(`/projects/${slug}`)).body.current_release.id).toBe(release);
    await ada.delete(`/tokens/${body.id}`);
    expect((await token.get("/me")).status).toBe(401);
  });
});

describe("two functions whose clocks are almost two minutes apart", () => {
  let ada: Developer;

  beforeAll(async () => {
    ada = await actorsOf(ahead).developer();
  });

  test("agree about who has an account and what is revoked", async () => {
    const token = await ada.token();
    const sameToken = actorsOf(behind).bearer(token.credential);
    expect((await sameToken.get("/me")).status).toBe(200);
    expect((await at(behind, ada).delete(`/tokens/${token.id}`)).status).toBe(204);
    expect(await token.get("/me")).toMatchObject({ status: 401, body: { code: "token_revoked" } });
  });

  test("see the same live release, whichever of them published last", async () => {
    const slug = await newProject(ada);
    const first = await publish(ada, slug, { "index.html": "first" });
    const second = await publish(at(behind, ada), slug, { "index.html": "second" });
    for (const service of [ahead, behind]) {
      const { body } = await actorsOf(service).anonymous.get(`/projects/${slug}`);
      expect(body.current_release.id).toBe(second);
    }
    expect((await ada.post(`/projects/${slug}/releases/${first}/publish`, { expect_current: second })).status).toBe(
      200,
    );
  });
});
