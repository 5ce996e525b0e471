import { afterEach, describe, expect, test } from "@jest/globals";
import { approvalOf, discoverOauthClient, errorOf } from "../../../support/identity/oauth-client.ts";
import { actorsOf } from "../../../support/service/actors.ts";
import { startRecordedService } from "../../../support/service/recorded-service.ts";
import { duringTests } from "../../../support/service/suite.ts";

/*
 * An approved code is exchanged while something else happens between the read and the write of the exchange.
 */
const service = duringTests(() => startRecordedService());

afterEach(() => service.recorder.plan(undefined));

/** A developer, an approved code's exchange, and the tokens of its name. */
async function approvedCode() {
  const ada = await actorsOf(service).developer();
  const client = await discoverOauthClient(service.api);
  const { verifier, url } = await client.authorizationRequest();
  const { body } = await ada.post("/oauth/approvals", approvalOf(url));
  const exchange = () => client.exchange(new URL(body.redirect_to), verifier);
  const statuses = async () => (await ada.get("/tokens")).body.tokens.map(({ status }: { status: string }) => status);
  return { ada, exchange, statuses };
}

/** Exchanges a code; its transaction waits until `by` has happened. */
async function overtaken(exchange: () => Promise<unknown>, by: () => Promise<unknown>): Promise<string> {
  let done: Promise<void> | undefined;
  service.recorder.plan(({ operation }) => {
    if (done !== undefined || operation !== "TransactWriteItems") return undefined;
    done = by().then(() => undefined);
    return { kind: "overtaken", by: done };
  });
  const outcome = await errorOf(exchange());
  expect(done).toBeDefined();
  return outcome;
}

describe("an authorization code that is exchanged", () => {
  test("while it is exchanged already gives a token that is revoked", async () => {
    const { exchange, statuses } = await approvedCode();
    expect(await overtaken(exchange, exchange)).toBe("invalid_grant");
    expect(await statuses()).toEqual(["revoked"]);
  });

  test("while all tokens are revoked gives none", async () => {
    const { ada, exchange, statuses } = await approvedCode();
    expect(await overtaken(exchange, () => ada.delete("/tokens"))).toBe("invalid_grant");
    expect(await statuses()).toEqual([]);
  });
});
