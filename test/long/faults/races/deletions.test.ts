import { beforeEach, describe, expect, test } from "@jest/globals";
import { keys } from "../../../../functions/table/keys.ts";
import { actorsOf } from "../../../support/service/actors.ts";
import { overtakenBy } from "../../../support/service/overtaken.ts";
import { ownedProject } from "../../../support/service/owned-project.ts";
import { newProject, openRelease } from "../../../support/service/steps.ts";
import { useEmptiedService, useOwner } from "../../../support/service/suite.ts";
import { brokenInvariants } from "../../../support/table/invariants.ts";
import { everyItem, setAttribute } from "../../../support/table/stored.ts";

/*
 * Requests while a project is deleted or restored.
 */
const service = useEmptiedService();
const actors = actorsOf(service);
const ada = useOwner(service);
const overtaken = overtakenBy(service);
const gone = { status: 410, body: { code: "project_deleted" } };
let path: string;

beforeEach(() => {
  path = `/projects/${ada.slug}`;
});

const { account, keyOf, project, set } = ownedProject(service, ada);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

describe("DELETE /projects/:slug", () => {
  test("of two simultaneous deletions one happens", async () => {
    for (let count = 0; count < 5; count += 1) {
      const slug = await newProject(ada);
      const responses = await Promise.all([ada.delete(`/projects/${slug}`), ada.delete(`/projects/${slug}`)]);
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 410]);
    }
    expect(await account(ada)).toMatchObject({ projectCount: 1 });
  });

  test("visitors do not see a release that is published at the same time", async () => {
    for (let count = 0; count < 5; count += 1) {
      const slug = await newProject(ada);
      const { body } = await openRelease(ada, slug, { "index.html": "1" });
      const [deleted, published] = await Promise.all([
        ada.delete(`/projects/${slug}`),
        ada.post(`/projects/${slug}/releases/${body.release.id}/publish`),
      ]);
      expect(deleted).toMatchObject({ status: 200 });
      expect([200, 410]).toContain(published.status);
      expect(await actors.anonymous.get(`/projects/${slug}/files/index.html`)).toMatchObject({ status: 404 });
    }
  });
});

describe("POST /projects/:slug/restore", () => {
  const restore = () => ada.post(`${path}/restore`);

  test.each([
    ["the sweeper begins", () => set("sweepBegunAt", daysAgo(0)), gone],
    [
      "the operator suspends it",
      () => set("suspension", { at: daysAgo(0), reason: "phishing" }),
      { status: 403, body: { code: "project_suspended" } },
    ],
    ["another developer has it", () => set("ownerKey", "another"), { status: 404 }],
    [
      "the account is suspended",
      () => setAttribute(service, keys.account(keyOf(ada)), "suspension", { at: daysAgo(0), reason: "spam" }),
      { status: 403, body: { code: "account_suspended" } },
    ],
  ])("is refused if meanwhile %s", async (_, meanwhile, refusal) => {
    await ada.delete(path);
    expect(await overtaken(restore, meanwhile)).toMatchObject(refusal);
    expect(await project()).toHaveProperty("deletedAt");
    expect(await account(ada)).toMatchObject({ projectCount: 0 });
    await set("ownerKey", keyOf(ada));
  });

  test("of two simultaneous ones both succeed and one counts", async () => {
    await ada.delete(path);
    expect(await overtaken(restore, restore)).toMatchObject({ status: 200, body: { deletion: null } });
    expect(await account(ada)).toMatchObject({ projectCount: 1 });
  });
});

test("after these tests the table keeps its invariants", async () => {
  expect(brokenInvariants(await everyItem(service))).toEqual([]);
});
