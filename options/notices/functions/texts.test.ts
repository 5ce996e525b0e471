import { expect, test } from "@jest/globals";
import { type Notice, noticeType } from "../contract/notice.ts";
import { mailText, quoted } from "./texts.ts";

const at = "2026-11-22T04:30:12.345Z";
const dashboard = "https://dashboard.example.com";
const contact = "mailto:abuse@example.com";

test.each(noticeType.options)(
  "a notice of the type %s has a mail, which says what is known and where to go",
  (type) => {
    const isProject = /^(?:project|publisher|invitation|member|person|release)_/.test(type);
    const isAccount = /^(?:account|developer)_/.test(type);
    const expires = type === "token_expiring" || type === "invitation_received";
    const notice: Notice = {
      version: 1,
      id: "0uSW4jRVb1bV0aE2Yk3sQx",
      type,
      at,
      account: { uid: "8dVX2hYRmUfZ0zDk" },
      ...(isProject && { project: "pong" }),
      ...(!isProject && !isAccount && { token: { id: "3nT8sVbEwqQyG0ZzXK6rLm", hint: "x7Qa" } }),
      ...(expires && { expires_at: "2026-11-29T04:30:00.000Z" }),
    };
    const { subject, text } = mailText(notice, { token: undefined, isLastOfDay: false, dashboard, contact });
    expect(subject).toMatch(/^svc: (?:A token|A project|A webhook|Your account) (was|is) [a-z ]+$/);
    if (!isAccount) expect(text).toContain(isProject ? '\nProject: "pong"\n' : "\nToken: …x7Qa\n");
    expect(text).toContain("\nWhen: 2026-11-22 04:30 UTC\n");
    expect(text.includes("\nExpires: 2026-11-29 04:30 UTC\n")).toBe(expires);
    expect(text).toMatch(new RegExp(`^${dashboard}/\\S*$`, "m"));
    expect(text).toContain(notice.id);
    const without = mailText(notice, { token: undefined, isLastOfDay: false, dashboard: undefined, contact }).text;
    expect(without).toBe(text.replace(/\nhttps:.*/, ""));
  },
);

test.each(noticeType.options)(
  "a notice of the type %s has the operator's address if the account or a project was suspended",
  (type) => {
    const notice: Notice = { version: 1, id: "n", type, at, account: { uid: "u" }, project: "pong" };
    const { text } = mailText(notice, { token: undefined, isLastOfDay: false, dashboard, contact });
    expect(text.includes(`write to:\n${contact}\n`)).toBe(type.endsWith("_suspended"));
    const without = mailText(notice, { token: undefined, isLastOfDay: false, dashboard, contact: undefined });
    expect(without.text).not.toContain("write to");
  },
);

test("a deleted token without a hint is named by its id", () => {
  const notice = {
    version: 1,
    id: "n",
    type: "token_revoked",
    at,
    account: { uid: "u" },
    token: { id: "t1" },
  } as const;
  expect(mailText(notice, { token: undefined, isLastOfDay: false, dashboard, contact }).text).toContain(
    "\nToken: t1\n",
  );
});

test("a notice of a type that was added later has no mail, and is not sent empty", () => {
  const notice = { version: 1, id: "n", type: "token_eaten", at, account: { uid: "u" } } as unknown as Notice;
  expect(() => mailText(notice, { token: undefined, isLastOfDay: false, dashboard, contact })).toThrow("has no mail");
});

test.each([
  ["Go to https://evil.example/login now", '"Go to https___evil_example_login now"'],
  ["www.evil.example", '"www_evil_example"'],
  ["write mallory@evil.example", '"write mallory_evil_example"'],
  ["evil。example", '"evil_example"'],
  ['x", ends in x7Qa', '"x__ ends in x7Qa"'],
  ["<a href=//e.vil>", '"_a href___e_vil_"'],
  ["CI\r\nBcc: mallory\u2028\u202e", '"CI__Bcc_ mallory__"'],
  ["Größe 東京", '"Größe 東京"'],
  ["n".repeat(40), `"${"n".repeat(40)}"`],
  ["n".repeat(41), `"${"n".repeat(39)}…"`],
])("the name %j is shown as %s, in which nothing is a link or a line", (name, shown) => {
  expect(quoted(name)).toBe(shown);
});

test("a mail says what happened, to what and when, what to do, and that it is the last of the day", () => {
  const notice = {
    version: 1,
    id: "3nT8sVbEwqQyG0ZzXK6rLm",
    type: "token_used_from_new_network",
    at,
    account: { uid: "u" },
    token: { id: "t1", hint: "x7Qa" },
    network: "203.0.113.0/24",
  } as const;
  const token = { name: "CI", hint: "x7Qa" };
  expect(mailText(notice, { token, isLastOfDay: true, dashboard, contact }).text).toBe(
    `A token was used from a new network.

Token: "CI", ends in x7Qa
Network: 203.0.113.0/24
When: 2026-11-22 04:30 UTC

If this was not you, revoke the token, and secure the account that you sign in with.
https://dashboard.example.com/tokens

This is the last of 100 mails about this day. The account's history shows what follows.

You get this mail because it is about your account. If it comes twice, both have the number 3nT8sVbEwqQyG0ZzXK6rLm.
`,
  );
});

test.each([
  ["session", {}, "in the dashboard"],
  ["token", {}, "with a token"],
  ["token", { token_name: "CI" }, 'with the token "CI"'],
  ["ci_job", {}, "by a CI job"],
  ["operator", {}, "by the operator"],
] as const)("a change by %s %j of nobody whose account is there is said to be made %s", (credential, named, means) => {
  const change = { type: "release_published", at, release: { number: 3 }, credential, ...named, own: false } as const;
  const about = { version: 1, id: "n", type: "project_releases_changed", at, account: { uid: "u" } } as const;
  const notice: Notice = { ...about, project: "pong", changes: [change] };
  const { text } = mailText(notice, { token: undefined, isLastOfDay: false, dashboard, contact });
  expect(text).toContain(`\n04:30 UTC: Release made live: #3, ${means}\n`);
});

test.each([undefined, "", "pong/../x", "pong?x"])("a mail about the project %j leads to all projects", (project) => {
  const notice: Notice = { version: 1, id: "n", type: "publisher_added", at, account: { uid: "u" }, project };
  const { text } = mailText(notice, { token: undefined, isLastOfDay: false, dashboard, contact });
  expect(text).toContain(`\n${dashboard}/\n`);
});

test("a mail names nothing that the notice does not have", () => {
  const notice = { version: 1, id: "n", type: "invitation_received", at, account: { uid: "u" } } as const;
  const { text } = mailText(notice, { token: undefined, isLastOfDay: false, dashboard: undefined, contact });
  expect(text.split("\n\n")[1]).toBe("When: 2026-11-22 04:30 UTC");
});
