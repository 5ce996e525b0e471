import { describe, expect, test } from "@jest/globals";
import { assertStillActive, findCaller, type IdTokenCaller } from "../../../functions/domain/authentication.ts";
import { authorize } from "../../../functions/domain/authorization.ts";
import { idempotencyCheck } from "../../../functions/domain/idempotency/idempotency.ts";
import { isExpired } from "../../../functions/domain/login/authorization-codes.ts";
import { exchangeDeviceCode, requestDevice } from "../../../functions/domain/login/device-requests.ts";
import { deleteProject, restoreProject } from "../../../functions/domain/projects/deletion.ts";
import { createInvitation } from "../../../functions/domain/projects/invitations.ts";
import { findProject } from "../../../functions/domain/projects/projects.ts";
import { invitationFor, openPreviews } from "../../../functions/domain/projects/state.ts";
import {
  createPendingPublisher,
  pendingPublishersOf,
} from "../../../functions/domain/publishers/pending-publishers.ts";
import { findRelease } from "../../../functions/domain/releases/releases.ts";
import { createToken, expiryWarning, noteTokenUse } from "../../../functions/domain/tokens/tokens.ts";
import type { Account, Identity } from "../../../functions/entities/account.ts";
import type { Project } from "../../../functions/entities/project.ts";
import type { Token } from "../../../functions/entities/token.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { newSlug, openRelease } from "../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useService } from "../../support/service/suite.ts";
import { waitingNotices } from "../../support/table/outbox.ts";
import { setAttribute, storedItem } from "../../support/table/stored.ts";

/*
 * The last millisecond of each time limit and the next one, which no request can choose: the rules are called with their time.
 */
const service = useService();
useFunctionEnvironment(service);
const actors = actorsOf(service);
const ada = useOwner(service);

const day = 86_400_000;
const now = new Date("2026-06-01T12:00:00.000Z");
const plus = (milliseconds: number) => new Date(now.getTime() + milliseconds);
const keyOf = (uid = ada.uid) => accountKey(service.issuer, uid);
const account = async (uid?: string) => (await storedItem(service, keys.account(keyOf(uid)))) as unknown as Account;
const problem = (code: string) => expect.objectContaining({ code });

describe("a token", () => {
  const request = { name: "CI", scopes: ["publish"], projects: null, expiresAt: undefined, expiresInDays: 1 } as const;

  test("is accepted until the millisecond of its expiry", async () => {
    const { token, rawToken } = await createToken(await account(), request, now);
    const callAt = (time: Date) =>
      findCaller({ kind: "token", rawToken }, { slug: undefined, storage: undefined }, time);
    const { account: owner } = await callAt(plus(day - 1));
    await expect(callAt(plus(day))).rejects.toEqual(problem("token_expired"));
    const project = (await storedItem(service, keys.project(ada.slug))) as unknown as Project;
    const actor = { kind: "token", account: owner as Account, token, project } as const;
    await assertStillActive(actor, plus(day - 1));
    await expect(assertStillActive(actor, plus(day))).rejects.toEqual(problem("token_expired"));
  });

  test("is created for a time that is after now and at most 365 days away", async () => {
    const owner = await account();
    for (const [after, isAllowed] of [
      [0, false],
      [1, true],
      [365 * day, true],
      [365 * day + 1, false],
    ] as const) {
      const creation = createToken(owner, { ...request, expiresAt: plus(after), expiresInDays: undefined }, now);
      if (isAllowed) expect((await creation).token.expiresAt).toBe(plus(after).toISOString());
      else await expect(creation).rejects.toEqual(problem("validation_failed"));
    }
  });

  test("makes room for another one in the millisecond in which it expires", async () => {
    const activeTokens = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`token${index}`, plus(index).toISOString()]),
    );
    await setAttribute(service, keys.account(keyOf()), "activeTokens", activeTokens);
    await expect(createToken(await account(), request, plus(-1))).rejects.toEqual(problem("token_limit_reached"));
    const { token } = await createToken(await account(), request, now);
    const { token0: _, ...others } = activeTokens;
    expect((await account()).activeTokens).toEqual({ ...others, [token.id]: token.expiresAt });
  });

  test("that lives for a week has no notice a week before its end; one that lives longer does", async () => {
    const expiring = async () =>
      (await waitingNotices(service, keyOf())).filter(({ type }) => type === "token_expiring");
    const owner = await account();
    await createToken(owner, { ...request, expiresInDays: 7 }, now);
    expect(await expiring()).toEqual([]);
    const longer = { ...request, expiresInDays: undefined, expiresAt: plus(7 * day + 1) };
    const { token } = await createToken(owner, longer, now);
    expect(await expiring()).toMatchObject([{ tokenId: token.id, at: plus(1).toISOString() }]);
  });

  test("warns of its expiry from a week before it on", () => {
    const expiresAt = plus(7 * day).toISOString();
    const token = { expiresAt } as Token;
    expect([expiryWarning(token, plus(-1)), expiryWarning(token, now)]).toEqual([undefined, expiresAt]);
  });

  test("has its use recorded again after exactly an hour, without a network if none is known", async () => {
    const { token } = await createToken(await account(), request, now);
    const by = { client: "svc", network: null } as const;
    const stored = async () => (await storedItem(service, keys.token(keyOf(), token.id))) as unknown as Token;
    await noteTokenUse(token, by, now);
    expect(await stored()).not.toHaveProperty("networks");
    await noteTokenUse(await stored(), by, plus(3_600_000 - 1));
    expect((await stored()).lastUsedAt).toBe(now.toISOString());
    await noteTokenUse(await stored(), by, plus(3_600_000));
    expect((await stored()).lastUsedAt).toBe(plus(3_600_000).toISOString());
  });
});

describe("a sign-in of ten minutes ago", () => {
  const caller = (secondsAgo: number) => {
    const person = { authTime: now.getTime() / 1_000 - secondsAgo };
    return { kind: "idToken", person, account: { role: "dev" } } as unknown as IdTokenCaller;
  };
  const route = { credential: "idToken", method: "DELETE", recentSignIn: "always" } as const;

  test("is recent enough, and one of a second more is not", () => {
    authorize(route, caller(600), {}, now);
    expect(() => authorize(route, caller(601), {}, now)).toThrow(problem("recent_sign_in_required"));
  });
});

describe("a project", () => {
  const project = async () => await findProject(ada.slug);
  const person = { authTime: null } as Identity;
  const owner = async () => ({ kind: "idToken", person, account: await account(), project: await project() }) as const;

  test("can be joined until the millisecond in which the invitation expires, and then the same person can be invited again", async () => {
    const bob = await account((await actors.otherDeveloper()).uid);
    const actor = await owner();
    const request = { role: "publisher", to: bob.uid } as const;
    const { id, expiresAt } = (await createInvitation(actor, request, now)).invitation;
    const end = Date.parse(expiresAt);
    const invited = { ...actor, project: await project() };
    const found = [end - 1, end].map((time) => invitationFor(invited.project, bob, id, new Date(time))?.id);
    expect(found).toEqual([id, undefined]);
    expect((await createInvitation(invited, request, new Date(end - 1))).invitation.id).toBe(id);
    const again = await createInvitation(invited, request, new Date(end));
    expect(again.invitation.expiresAt).toBe(new Date(end + 7 * day).toISOString());
  });

  test("is restored until a week after its deletion", async () => {
    const actor = await owner();
    const { project: deleted } = await deleteProject(actor, now);
    const restoreAt = async (time: Date) => (await restoreProject({ ...actor, project: deleted }, time)).project;
    await expect(restoreAt(plus(7 * day))).rejects.toEqual(problem("project_deleted"));
    const { deletedAt: _, ...restored } = deleted;
    expect(await restoreAt(plus(7 * day - 1))).toEqual(restored);
  });

  test("has an open release until the second of its end", async () => {
    const { id } = (await openRelease(ada, ada.slug, { "index.html": "1" })).body.release;
    const { ttl } = (await storedItem(service, keys.release(ada.slug, id))) as { ttl: number };
    expect(await findRelease(ada.slug, id, new Date(ttl * 1_000 - 1))).toMatchObject({ id });
    await expect(findRelease(ada.slug, id, new Date(ttl * 1_000))).rejects.toEqual(problem("release_not_found"));
  });
});

test("an idempotency key is free again from the second of its end", () => {
  const createdBefore = { fingerprint: "f", created: "game", ttl: now.getTime() / 1_000 };
  const caller = { account: { key: "me" }, createdBefore } as unknown as IdTokenCaller;
  const earlierAt = (time: Date) => idempotencyCheck({ value: "key", fingerprint: "f" })(caller, time)?.earlier;
  expect([earlierAt(plus(-1)), earlierAt(now)]).toEqual([createdBefore, undefined]);
});

test("a preview is open until the second of its end", () => {
  const preview = { releaseId: "r", manifest: "m", expiresAt: now.getTime() / 1_000 };
  const openAt = (time: Date) => openPreviews({ previews: [preview] } as unknown as Project, time);
  expect([openAt(plus(-1)), openAt(now)]).toEqual([[preview], []]);
});

test("a pending publisher waits until the millisecond of its end", async () => {
  const file = { projectId: "1", namespaceId: "2", ciConfigPath: ".gitlab-ci.yml" };
  const any = { environment: null, refProtected: true, repository: null };
  const jobs = { provider: "gitlab", issuer: "https://gitlab.com", ...file, ...any } as const;
  const owner = await account();
  await createPendingPublisher(owner, { slug: newSlug(), jobs }, now);
  const left = async (milliseconds: number) => (await pendingPublishersOf(owner, plus(milliseconds))).length;
  expect([await left(30 * day - 1), await left(30 * day)]).toEqual([1, 0]);
});

describe("a grant", () => {
  test("is expired from the second of its end on", () => {
    const grant = { ttl: now.getTime() / 1_000 } as Parameters<typeof isExpired>[0];
    expect([isExpired(grant, plus(-1)), isExpired(grant, now)]).toEqual([false, true]);
  });

  test("may be asked for four seconds after the last time, not earlier", async () => {
    const pollAfter = async (milliseconds: number) => {
      const { deviceCode } = await requestDevice({ tokenName: null, scopes: ["publish"] }, now);
      await expect(exchangeDeviceCode(deviceCode, now)).rejects.toEqual(problem("authorization_pending"));
      return await exchangeDeviceCode(deviceCode, plus(milliseconds)).catch(({ code }) => code);
    };
    expect([await pollAfter(3_999), await pollAfter(4_000)]).toEqual(["slow_down", "authorization_pending"]);
  });
});
