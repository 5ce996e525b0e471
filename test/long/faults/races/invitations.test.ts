import { beforeEach, describe, expect, test } from "@jest/globals";
import { keys } from "../../../../functions/table/keys.ts";
import { actorsOf, type Developer } from "../../../support/service/actors.ts";
import { addMember } from "../../../support/service/operations.ts";
import { overtakenBy } from "../../../support/service/overtaken.ts";
import { invitationsOf, outcome, ownedProject } from "../../../support/service/owned-project.ts";
import { useOwner, useRecordedService } from "../../../support/service/suite.ts";
import { setAttribute } from "../../../support/table/stored.ts";

/*
 * Changes of an invitation, its project or its people between the read and the write of a request about it.
 */
const service = useRecordedService();
const actors = actorsOf(service);
const ada = useOwner(service);
const overtaken = overtakenBy(service);
const suspension = { at: "2026-01-01T00:00:00.000Z", reason: "spam" };
let grace: Developer;
let path: string;

beforeEach(async () => {
  grace = await actors.developer();
  path = `/projects/${ada.slug}`;
});

const { keyOf, project, set } = ownedProject(service, ada);
const { accept, invite } = invitationsOf(ada);
const rolesOf = async () =>
  (await ada.get(`${path}/members`)).body.members.map(({ role }: { role: string }) => role).toSorted();

describe("what happens meanwhile", () => {
  test.each<[string, (made: { id: string }) => Promise<unknown>, unknown]>([
    ["it is withdrawn", ({ id }) => ada.delete(`${path}/invitations/${id}`), "invitation_not_found"],
    ["the project is deleted", () => ada.delete(path), "invitation_not_found"],
    ["the project is suspended", () => set("suspension", suspension), "project_suspended"],
    [
      "the account is suspended",
      () => setAttribute(service, keys.account(keyOf(grace)), "suspension", suspension),
      "account_suspended",
    ],
    ["the account becomes a member by another one", () => addMember(ada, ada.slug, grace, "admin"), "already_member"],
  ])("when somebody accepts: %s", async (_, meanwhile, expected) => {
    const made = await invite("publisher");
    expect(
      await outcome(
        overtaken(
          () => accept(grace, made),
          () => meanwhile(made),
        ),
      ),
    ).toBe(expected);
    expect(await rolesOf().catch(() => [])).not.toContain("publisher");
  });

  test.each<[string, () => Promise<unknown>, unknown]>([
    ["is suspended", () => set("suspension", suspension), "project_suspended"],
    ["is deleted", () => ada.delete(path), "project_deleted"],
  ])("when somebody invites: the project %s", async (_, meanwhile, expected) => {
    const sent = () => ada.post(`${path}/invitations`, { role: "publisher" });
    expect(await outcome(overtaken(sent, meanwhile))).toBe(expected);
    expect((await project())?.["invitations"] ?? {}).toEqual({});
  });

  test.each<[string, (made: { id: string }) => Promise<unknown>, unknown]>([
    ["it is withdrawn", ({ id }) => ada.delete(`${path}/invitations/${id}`), "invitation_not_found"],
    ["another user is to be the owner", async () => invite("owner", await actors.user()), "invitation_not_found"],
    ["the project is deleted", () => ada.delete(path), "invitation_not_found"],
    ["the project is suspended", () => set("suspension", suspension), "project_suspended"],
  ])("when somebody takes over: %s", async (_, meanwhile, expected) => {
    const made = await invite("owner", grace);
    const taken = await overtaken(
      () => accept(grace, made),
      () => meanwhile(made),
    );
    expect(taken.body.code).toBe(expected);
    expect(await project()).toMatchObject({ ownerKey: keyOf(ada) });
  });

  test("when somebody invites: others do, and there is room for one", async () => {
    for (let left = 18; left > 0; left -= 1) await invite("publisher");
    const sent = () => ada.post(`${path}/invitations`, { role: "publisher" });
    expect(await outcome(overtaken(sent, sent))).toBe("member_limit_reached");
  });
});
