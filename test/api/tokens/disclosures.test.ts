import { createHash } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { RawToken } from "../../../functions/domain/tokens/raw-token.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import { useService } from "../../support/service/suite.ts";
import { setAttribute } from "../../support/table/stored.ts";

const service = useService();
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
});
