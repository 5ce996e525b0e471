import { describe, expect, test } from "@jest/globals";
import { actorsOf } from "../../support/service/actors.ts";
import { useService } from "../../support/service/suite.ts";
import { time } from "../../support/wire-time.ts";

const actors = actorsOf(useService());

describe("GET /me/events", () => {
  test("lists what happened to the account, newest first, page by page", async () => {
    const ada = await actors.developer();
    const token = await ada.token();
    await token.get("/me");
    await ada.delete(`/tokens/${token.id}`);
    const { body } = await ada.get("/me/events");
    expect(body.next_cursor).toBeNull();
    expect(body.events.slice(0, 3)).toEqual([
      { id: expect.any(String), type: "token_revoked", at: time, token_id: token.id },
      { id: expect.any(String), type: "token_first_used", at: time, token_id: token.id, network: "127.0.0.0/24" },
      { id: expect.any(String), type: "token_created", at: time, token_id: token.id },
    ]);
    const pages = [];
    for (let cursor = ""; cursor !== null; ) {
      const page = await ada.get(`/me/events?limit=2${cursor && `&cursor=${cursor}`}`);
      pages.push(...page.body.events);
      cursor = page.body.next_cursor;
    }
    expect(pages).toEqual(body.events);
  });

  test("refuses a cursor that is not from one of its responses", async () => {
    const response = await (await actors.user()).get("/me/events?cursor=QUNDT1VOVCN4");
    expect(response).toMatchObject({ status: 400, body: { code: "invalid_cursor" } });
  });
});
