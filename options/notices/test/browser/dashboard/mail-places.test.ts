import { expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../../../functions/table/keys.ts";
import { visitor } from "../../../../../test/browser/dashboard/visitor.ts";
import { actorsOf } from "../../../../../test/support/service/actors.ts";
import { makeLive, newProject, publish, readyRelease } from "../../../../../test/support/service/steps.ts";
import { setAttribute } from "../../../../../test/support/table/stored.ts";
import { type NoticeType, noticeType } from "../../../contract/notice.ts";
import { mailText } from "../../../functions/texts.ts";

/* Where each mail leads: what it speaks of is there. */

const v = visitor();
const suspension = { at: "2026-01-01T00:00:00.000Z", reason: "phishing" };

/** What happens before the mail, if what it speaks of is not on every such page. Returns the project. */
const events: Partial<Record<NoticeType, () => Promise<string>>> = {
  account_suspended: async () => {
    await setAttribute(v.service, keys.account(accountKey(v.service.issuer, v.ada.uid)), "suspension", suspension);
    return "";
  },
  project_deleted: async () => {
    const slug = await newProject(v.ada);
    await v.ada.delete(`/projects/${slug}`);
    return slug;
  },
  project_suspended: async () => {
    const slug = await newProject(v.ada);
    await setAttribute(v.service, keys.project(slug), "suspension", suspension);
    return slug;
  },
  invitation_received: async () => {
    const grace = await actorsOf(v.service).developer();
    const slug = await newProject(grace);
    await grace.post(`/projects/${slug}/invitations`, { to: v.ada.uid, role: "publisher" });
    return slug;
  },
  release_waiting: async () => {
    const slug = await newProject(v.ada);
    await v.ada.patch(`/projects/${slug}`, { person_makes_live: true });
    const token = await v.ada.token();
    await makeLive(token, slug, await readyRelease(token, slug, "1"));
    return slug;
  },
};

const tokens = ["New token"];
const members = ["Members", "Invite"];

/** What a person finds there; of a place with a fragment the heading first. */
const finds: Readonly<Record<NoticeType, readonly string[]>> = {
  developer_requested: ["New project"],
  developer_approved: ["New project"],
  token_created: tokens,
  token_first_used: tokens,
  token_used_from_new_network: tokens,
  token_expiring: tokens,
  token_disclosed: tokens,
  token_revoked: tokens,
  token_refused: tokens,
  project_deleted: ["You have deleted this project.", "Restore"],
  project_suspended: ["The operator suspended this project", ": phishing."],
  project_traffic_high: ["Statistics"],
  project_traffic_limited: ["Statistics"],
  publisher_added: ["CI jobs that may publish", "Add CI jobs"],
  invitation_received: ["You are invited", "Look at it"],
  member_added: members,
  member_removed: ["New project"],
  member_role_changed: members,
  project_handed_over: ["New project"],
  person_required: ["Latest releases"],
  person_no_longer_required: ["A person makes live"],
  release_waiting: ["Waiting for you"],
  webhook_switched_off: ["Webhooks", "Add a webhook"],
  release_crashes_more: ["Statistics"],
  project_releases_changed: ["Releases"],
  // The last one: nobody can see anything else after it.
  account_suspended: ["The operator has suspended your account: phishing."],
};

test("the URL of each mail leads to what it speaks of", async () => {
  expect(Object.keys(finds).toSorted()).toEqual(noticeType.options.toSorted());
  // Without a release, what is shown of releases is gone as soon as they are read.
  const usual = await newProject(v.ada);
  await publish(v.ada, usual, { "index.html": "1" });
  await v.enter();
  for (const [type, texts] of Object.entries(finds) as [NoticeType, readonly string[]][]) {
    const project = (await events[type]?.()) ?? usual;
    const notice = { version: 1, id: "n", type, at: suspension.at, account: { uid: v.ada.uid }, project } as const;
    const { origin } = new URL(v.service.dashboard);
    const context = { token: undefined, isLastOfDay: false, dashboard: origin, contact: undefined };
    const [url = ""] = /^http:.*$/m.exec(mailText(notice, context).text) ?? [];
    await v.page.goto(url);
    for (const text of texts) await v.page.getByText(text).first().waitFor();
    if (url.includes("#")) await v.page.locator("h2:focus", { hasText: texts[0] ?? "" }).waitFor();
  }
});
