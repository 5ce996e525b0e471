import { expect, test } from "@jest/globals";
import type { AccountEvent } from "../entities/account.ts";
import type { Token } from "../entities/token.ts";
import { eventView, timeOf, tokenView } from "./views.ts";

const at = "2026-01-01T00:00:00.000Z";

test("epoch seconds are a time on the wire", () => {
  expect(timeOf(1_767_225_600)).toBe(at);
});

test("an event has what it is about, and no member more", () => {
  const event = { id: "e1", type: "token_disclosed", at, ttl: 1 } as AccountEvent;
  expect(eventView(event)).toEqual({ id: "e1", type: "token_disclosed", at });
  const about = {
    ...{ tokenId: "t1", project: "game", releaseId: "r1", publisherId: "p1", foundAt: "https://found.example" },
    ...{ network: "192.0.2.0/24", reason: "spam" },
  } as Partial<AccountEvent>;
  expect(eventView({ ...event, ...about })).toEqual({
    ...{ id: "e1", type: "token_disclosed", at, token_id: "t1", project: "game", release_id: "r1" },
    ...{ publisher_id: "p1", found_at: "https://found.example" },
    ...{ network: "192.0.2.0/24", reason: "spam" },
  });
});

test("a token has its scopes and projects, and neither hash nor account", () => {
  const stored = { id: "t1", accountKey: "k", hash: "h", name: "CI", hint: "abcd", createdAt: at, expiresAt: at };
  const lists = { scopes: ["publish"], projects: ["game"] };
  expect(tokenView({ ...stored, ...lists } as unknown as Token, new Date(at))).toEqual({
    ...{ id: "t1", name: "CI", hint: "abcd", created_at: at, expires_at: at, revoked_at: null, last_used_at: null },
    ...{ ...lists, status: "expired" },
  });
});
