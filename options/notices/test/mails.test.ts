import { randomUUID } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { accountKeyOf } from "../../../contract/api/tokens/token-format.ts";
import { suspendAccount, suspendProject, takeDownProject } from "../../../functions/domain/accounts/suspensions.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { actorsOf, type Developer } from "../../../test/support/service/actors.ts";
import { awsAccess } from "../../../test/support/service/aws-access.ts";
import { newProject, offer } from "../../../test/support/service/steps.ts";
import { useService } from "../../../test/support/service/suite.ts";
import { waitingNotices } from "../../../test/support/table/outbox.ts";
import { itemsOf, setAttribute, storedItem } from "../../../test/support/table/stored.ts";
import type { Notice } from "../contract/notice.ts";
import { sentMailsKey } from "../functions/keys.ts";
import { useMails } from "./support/mails.ts";

/* Recipients of mails about notices, and their text. */

const service = useService();
const actors = actorsOf(service);
const { ses, mail, mailsTo, logged } = useMails(service);

/** Time of the notice: not today, so that the day is the notice's own. */
const at = "2026-03-01T04:30:12.345Z";

function noticeFor({ uid }: Pick<Developer, "uid">, more: Partial<Notice> = {}): Notice {
  return { version: 1, id: randomUUID(), type: "token_created", at, account: { uid }, ...more };
}

const keyOf = ({ uid }: Developer) => accountKey(service.issuer, uid);

describe("a mail", () => {
  test("says what happened to which token, where and when, and what to do", async () => {
    const ada = await actors.developer();
    const { id, credential } = await ada.token({ name: "Ada's laptop" });
    const hint = credential.slice(-4);
    const network = "203.0.113.0/24";
    const notice = noticeFor(ada, { type: "token_used_from_new_network", token: { id, hint }, network });
    await mail(notice);
    expect(ses.sent.at(-1)).toEqual({
      path: "POST /v2/email/outbound-emails",
      headers: expect.objectContaining({
        authorization: expect.stringMatching(
          new RegExp(`^AWS4-HMAC-SHA256 Credential=.*/${awsAccess.region}/ses/aws4_request`),
        ),
      }),
      from: "svc <no-reply@example.com>",
      to: [ada.email],
      subject: "svc: A token was used from a new network",
      text: [
        "A token was used from a new network.",
        `Token: "Ada's laptop", ends in ${hint}\nNetwork: 203.0.113.0/24\nWhen: 2026-03-01 04:30 UTC`,
        "If this was not you, revoke the token, and secure the account that you sign in with.\nhttps://dashboard.example.com/tokens",
        `You get this mail because it is about your account. If it comes twice, both have the number ${notice.id}.\n`,
      ].join("\n\n"),
    });
    expect(logged()).toEqual([]);
  });

  test.each([
    ["suspends", suspendProject],
    ["takes down", takeDownProject],
  ])("says where to write to if the operator %s a project", async (_, act) => {
    const ada = await actors.developer();
    const slug = await newProject(ada);
    await act(slug, "malware", new Date());
    const waiting = await waitingNotices(service, keyOf(ada));
    // No project_deleted: its mail says that the project can be restored.
    expect(waiting.filter(({ project }) => project === slug).map(({ type }) => type)).toEqual(["project_suspended"]);
    await mail(noticeFor(ada, { type: "project_suspended", project: slug }));
    expect(mailsTo(ada).map(({ subject, text }) => ({ subject, contact: text.split("\n").at(-4) }))).toEqual([
      { subject: "svc: A project was suspended by the operator", contact: `https://abuse.example.com/${slug}` },
    ]);
  });

  test("tells a suspended account of the suspension, and where to write to, and of nothing else", async () => {
    const ada = await actors.developer();
    await suspendAccount(keyOf(ada), "spam", new Date());
    const waiting = await waitingNotices(service, keyOf(ada));
    expect(waiting.map(({ type }) => type)).toEqual(["account_suspended"]);
    await mail(noticeFor(ada, { type: "account_suspended" }));
    await mail(noticeFor(ada, { type: "token_created" }));
    expect(mailsTo(ada).map(({ subject, text }) => ({ subject, contact: text.split("\n").at(-4) }))).toEqual([
      { subject: "svc: Your account was suspended by the operator", contact: "https://abuse.example.com/" },
    ]);
  });

  test("has no additional line if a name is stored with line breaks", async () => {
    const ada = await actors.developer();
    const { id, credential } = await ada.token();
    const name = "CI\r\nBcc: mallory@evil.example\u2028\u202e";
    await setAttribute(service, keys.token(accountKeyOf(credential), id), "name", name);
    await mail(noticeFor(ada, { token: { id } }));
    const [{ subject, text } = { subject: "", text: "" }] = mailsTo(ada);
    expect(subject).toBe("svc: A token was created");
    expect(text).toContain('Token: "CI__Bcc_ mallory_evil_example__", ends');
  });
});

test("an invitation is mailed to whom it names, without a link of anybody's choice", async () => {
  const [ada, grace] = [await actors.developer(), await actors.otherDeveloper()];
  const slug = await newProject(ada);
  await offer(ada, slug, grace);
  const [waiting, ...more] = await waitingNotices(service, keyOf(grace));
  expect(more).toEqual([]);
  expect(waiting).toMatchObject({ type: "invitation_received", project: slug });
  // The same invitation again is no other one.
  await offer(ada, slug, grace);
  expect(await waitingNotices(service, keyOf(grace))).toHaveLength(1);
  const expiresAt = (await grace.get("/invitations")).body.invitations[0].expires_at;
  expect(waiting?.["expiresAt"]).toBe(expiresAt);
  await mail(noticeFor(grace, { type: "invitation_received", project: "evil.example", expires_at: expiresAt }));
  expect(mailsTo(ada)).toEqual([]);
  const [{ subject, text } = { subject: "", text: "" }] = mailsTo(grace);
  expect(subject).toBe("svc: A project is open to you by an invitation");
  expect(text).toContain('Project: "evil_example"');
  expect(text).toContain(`Expires: ${expiresAt.slice(0, 10)}`);
  expect(text.match(/https?:\S+/g)).toEqual(["https://dashboard.example.com/"]);
});

describe("nobody is mailed about", () => {
  test("an account that is deleted, was never there, or has no address", async () => {
    const before = ses.requests.length;
    await mail(noticeFor({ uid: "nobody" }));
    await mail(noticeFor(await actors.developer({ email: null, email_verified: null })));
    expect(ses.requests.length).toBe(before);
    expect(logged()).toEqual([]);
  });

  test("an account whose address is not verified, or is unknown to be", async () => {
    const before = ses.requests.length;
    await mail(noticeFor(await actors.developer({ email_verified: false })));
    const ada = await actors.developer();
    await setAttribute(service, keys.account(keyOf(ada)), "emailVerified", null);
    await mail(noticeFor(ada));
    expect(ses.requests.length).toBe(before);
  });

  test("a suspended account", async () => {
    const ada = await actors.developer();
    await setAttribute(service, keys.account(keyOf(ada)), "suspension", { at, reason: "abuse" });
    await mail(noticeFor(ada));
    expect(mailsTo(ada)).toEqual([]);
  });

  test("an account whose address is not one address", async () => {
    const before = ses.requests.length;
    const ada = await actors.developer();
    for (const email of [
      "ada@example.test,bob",
      "bob@example.test,ada@example.test",
      "Ada<ada@example.test>",
      '"a"@example.test',
      "ada@example.test;",
    ]) {
      await setAttribute(service, keys.account(keyOf(ada)), "email", email);
      await mail(noticeFor(ada));
    }
    expect(ses.requests.length).toBe(before);
  });
});

describe("of one day an account has", () => {
  const sentMails = async (ada: Developer) => await storedItem(service, sentMailsKey(keyOf(ada), "2026-03-01"));

  test("one mail about a notice that comes twice, also after the day has ended", async () => {
    const ada = await actors.developer();
    const notice = noticeFor(ada);
    await mail(notice, notice);
    await mail(notice);
    expect(mailsTo(ada)).toHaveLength(1);
    const item = await sentMails(ada);
    expect(item?.["ids"]).toEqual(new Set([notice.id]));
    expect(Math.abs(Number(item?.["ttl"]) - Date.now() / 1_000 - 3 * 86_400)).toBeLessThan(60);
    expect(await itemsOf(service, `MAILS#${keyOf(ada)}`)).toHaveLength(1);
  });

  test("at most 10 mails before one about an invitation, which cannot use up the others", async () => {
    const ada = await actors.developer();
    for (let count = 0; count < 12; count += 1)
      await mail(noticeFor(ada, { type: "invitation_received", project: `game-${count}` }));
    expect(mailsTo(ada)).toHaveLength(10);
    await mail(noticeFor(ada));
    expect(mailsTo(ada).at(-1)?.subject).toBe("svc: A token was created");
  });

  test("100 mails, and the last one says so", async () => {
    const ada = await actors.developer();
    await mail(noticeFor(ada));
    await setAttribute(
      service,
      sentMailsKey(keyOf(ada), "2026-03-01"),
      "ids",
      new Set(Array.from({ length: 98 }, (_, index) => `notice-${index}`)),
    );
    for (const _ of [1, 2, 3]) await mail(noticeFor(ada));
    const texts = mailsTo(ada).map(({ text }) => text.includes("This is the last of 100 mails about this day."));
    expect(texts).toEqual([false, false, true]);
    expect(logged()).toEqual([expect.objectContaining({ level: "warn", code: "mail_limit", request_id: "run" })]);
    await mail(noticeFor(ada, { at: "2026-03-02T00:00:00.000Z" }));
    expect(mailsTo(ada)).toHaveLength(4);
  });
});
