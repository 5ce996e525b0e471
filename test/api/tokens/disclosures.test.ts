import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { RawToken } from "../../../functions/domain/tokens/raw-token.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import { startService } from "../../support/service/service.ts";
import { duringTests } from "../../support/service/suite.ts";
import { setAttribute } from "../../support/table/stored.ts";

let isKeyServerUp = true;
let keyRequests = 0;
const gitHub = generateKeyPairSync("ec", { namedCurve: "P-256" });
const keyId = randomUUID();

const keyServer = duringTests(() =>
  startHttpServer((_, response) => {
    keyRequests += 1;
    const key = gitHub.publicKey.export({ type: "spki", format: "pem" });
    response
      .writeHead(isKeyServerUp ? 200 : 500)
      .end(JSON.stringify({ public_keys: [{ key_identifier: keyId, key }] }));
  }),
);
const startWithKeys = () => startService({ env: { GITHUB_KEYS_URI: `${keyServer.endpoint}/meta` } });
const service = duringTests(startWithKeys);
const actors = actorsOf(service);

async function lastEvents(person: Developer, count: number) {
  return (await person.get(`/me/events?limit=${count}`)).body.events;
}

describe("POST /tokens/disclosures", () => {
  test("revokes a token at once, and its owner sees where it was found", async () => {
    const ada = await actors.developer();
    const token = await ada.token();
    const found_at = "https://example.test/paste/1";
    const response = await actors.anonymous.post("/tokens/disclosures", {
      tokens: [{ token: token.credential, found_at }],
    });
    expect(response).toMatchObject({ status: 202, body: undefined });
    expect(await token.get("/me")).toMatchObject({ status: 401, body: { code: "token_revoked" } });
    const events = await lastEvents(ada, 2);
    expect(events).toContainEqual(expect.objectContaining({ type: "token_disclosed", token_id: token.id, found_at }));
    expect(events).toContainEqual(expect.objectContaining({ type: "token_revoked", token_id: token.id }));
    expect(events.some((event: object) => "reported_by" in event)).toBe(false);
  });

  test("accepts up to 100 tokens of any accounts, each once", async () => {
    const [ada, bob] = [await actors.developer(), await actors.otherDeveloper()];
    const tokens = [await ada.token(), await bob.token(), await ada.token()];
    const entries = [...tokens, ...tokens].map(({ credential }) => ({ token: credential }));
    const noise = Array.from({ length: 94 }, () => ({ token: RawToken.generate("A".repeat(22)).reveal() }));
    expect((await actors.anonymous.post("/tokens/disclosures", { tokens: [...entries, ...noise] })).status).toBe(202);
    for (const token of tokens) expect((await token.get("/me")).status).toBe(401);
    expect(
      (await lastEvents(ada, 100)).filter(({ type }: { type: string }) => type === "token_disclosed"),
    ).toHaveLength(2);
    const tooMany = [...entries, ...noise, { token: "pat_x" }];
    expect((await actors.anonymous.post("/tokens/disclosures", { tokens: tooMany })).status).toBe(422);
  });

  test.each([
    ["a token that was never created", async () => RawToken.generate("B".repeat(22)).reveal()],
    ["a text that is no token", async () => "pat_123"],
    [
      "a revoked token",
      async () => {
        const token = await actors.token("publish");
        await token.delete("/tokens/current");
        return token.credential;
      },
    ],
  ])("responds to %s exactly as to an active token", async (_, text) => {
    const token = await text();
    const active = await actors.token("publish");
    const [refused, revoked] = [
      await actors.anonymous.post("/tokens/disclosures", { tokens: [{ token }] }),
      await actors.anonymous.post("/tokens/disclosures", { tokens: [{ token: active.credential }] }),
    ];
    expect([refused.status, refused.body]).toEqual([revoked.status, revoked.body]);
    const comparable = ({ headers }: typeof refused) =>
      [...headers].filter(([name]) => !["date", "svc-request-id", "apigw-requestid"].includes(name));
    expect(comparable(refused)).toEqual(comparable(revoked));
  });

  test("does not revoke a token whose id matches but not its stored hash", async () => {
    const ada = await actors.developer();
    const token = await ada.token();
    const key = keys.token(accountKey(service.issuer, ada.uid), token.id);
    await setAttribute(service, key, "hash", createHash("sha256").update("another").digest("base64"));
    await actors.anonymous.post("/tokens/disclosures", { tokens: [{ token: token.credential }] });
    expect((await ada.get("/tokens")).body.tokens).toMatchObject([{ status: "active" }]);
  });

  test.each([
    [{}],
    [{ tokens: [] }],
    [{ tokens: [{ token: 1 }] }],
    [[]],
    [{ tokens: [{ token: "x", found_at: "ftp://x" }] }],
  ])("refuses %j", async (body) => {
    expect(await actors.anonymous.post("/tokens/disclosures", body)).toMatchObject({
      status: 422,
      body: { code: "validation_failed" },
    });
  });
});

describe("a report of GitHub's secret scanning", () => {
  function report(token: string, url = "https://github.com/octocat/hello/blob/main/.env") {
    return JSON.stringify([{ token, type: "svc_pat", url, source: "content" }]);
  }

  function sendReport(body: string, key: KeyObject, identifier = keyId) {
    return actors.anonymous.send("POST", "/tokens/disclosures", {
      headers: {
        "content-type": "application/json",
        "github-public-key-identifier": identifier,
        "github-public-key-signature": sign("sha256", Buffer.from(body), key).toString("base64"),
      },
      body,
    });
  }

  test("is accepted with its signature, and the owner sees that GitHub reported it", async () => {
    const ada = await actors.developer();
    const token = await ada.token();
    expect((await sendReport(report(token.credential), gitHub.privateKey)).status).toBe(202);
    expect((await token.get("/me")).status).toBe(401);
    expect(await lastEvents(ada, 2)).toContainEqual(
      expect.objectContaining({
        type: "token_disclosed",
        reported_by: "github",
        found_at: "https://github.com/octocat/hello/blob/main/.env",
      }),
    );
  });

  test("may name a place that is not a URL, which is not stored", async () => {
    const ada = await actors.developer();
    const token = await ada.token();
    expect((await sendReport(report(token.credential, "javascript:alert(1)"), gitHub.privateKey)).status).toBe(202);
    const [event] = (await lastEvents(ada, 2)).filter(({ type }: { type: string }) => type === "token_disclosed");
    expect(event).not.toHaveProperty("found_at");
  });

  test.each([
    ["somebody else's key", () => [generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey, keyId] as const],
    ["a key that GitHub does not name", () => [gitHub.privateKey, randomUUID()] as const],
  ])("is refused with %s, and revokes nothing", async (_, keyOf) => {
    const token = await actors.token("publish");
    const [key, identifier] = keyOf();
    const response = await sendReport(report(token.credential), key, identifier);
    expect(response).toMatchObject({ status: 403, body: { code: "signature_invalid" } });
    expect((await token.get("/me")).status).toBe(200);
  });

  test.each(["github-public-key-identifier", "github-public-key-signature"])(
    "with half a signature, %s alone, is refused and revokes nothing",
    async (header) => {
      const token = await (await actors.developer()).token();
      const { status, body } = await actors.anonymous.send("POST", "/tokens/disclosures", {
        headers: { "content-type": "application/json", [header]: keyId },
        body: report(token.credential),
      });
      expect({ status, code: body.code }).toEqual({ status: 403, code: "signature_invalid" });
      expect((await token.get("/me")).status).toBe(200);
    },
  );

  test("with a key that GitHub does not name makes the service fetch no keys again", async () => {
    await sendReport(report("pat_x"), gitHub.privateKey);
    const before = keyRequests;
    for (const _ of [1, 2]) await sendReport(report("pat_x"), gitHub.privateKey, randomUUID());
    expect(keyRequests).toBe(before);
  });

  test("is refused with the signature of another body", async () => {
    const token = await actors.token("publish");
    const signature = sign("sha256", Buffer.from(report("pat_other")), gitHub.privateKey).toString("base64");
    const headers = {
      "content-type": "application/json",
      "github-public-key-identifier": keyId,
      "github-public-key-signature": signature,
    };
    const response = await actors.anonymous.send("POST", "/tokens/disclosures", {
      headers,
      body: report(token.credential),
    });
    expect(response).toMatchObject({ status: 403, body: { code: "signature_invalid" } });
    expect((await token.get("/me")).status).toBe(200);
  });

  test("revokes without naming a reporter while GitHub's keys cannot be fetched", async () => {
    isKeyServerUp = false;
    const other = await startWithKeys();
    try {
      const ada = await actorsOf(other).developer();
      const token = await ada.token();
      const body = report(token.credential);
      const headers = {
        "content-type": "application/json",
        "github-public-key-identifier": keyId,
        "github-public-key-signature": sign("sha256", Buffer.from(body), gitHub.privateKey).toString("base64"),
      };
      const response = await actorsOf(other).anonymous.send("POST", "/tokens/disclosures", { headers, body });
      expect(response.status).toBe(202);
      expect((await token.get("/me")).status).toBe(401);
      expect((await lastEvents(ada, 2)).some((event: object) => "reported_by" in event)).toBe(false);
    } finally {
      isKeyServerUp = true;
      await other.stop();
    }
  });
});
