import { beforeEach, describe, expect, test } from "@jest/globals";
import { keys } from "../../../../functions/table/keys.ts";
import { actorsOf, type Developer } from "../../../support/service/actors.ts";
import { addMember } from "../../../support/service/operations.ts";
import { overtakenBy } from "../../../support/service/overtaken.ts";
import { invitationsOf, outcome, ownedProject } from "../../../support/service/owned-project.ts";
import { handOver, newProject, newSlug } from "../../../support/service/steps.ts";
import { useOwner, useRecordedService } from "../../../support/service/suite.ts";
import { setAttribute, storedItem } from "../../../support/table/stored.ts";

/*
 * An invitation to several projects is accepted in several writes, and a removal ends as many roles: before each of them something else
 * happens, or the request stops.
 */
const service = useRecordedService();
const actors = actorsOf(service);
const ada = useOwner(service);
let grace: Developer;
let [first, second] = ["", ""];

beforeEach(async () => {
  grace = await actors.developer();
  [first, second] = [await newProject(ada), await newProject(ada)].toSorted() as [string, string];
});

const { keyOf } = ownedProject(service, ada);
const { accept } = invitationsOf(ada);
const invite = async (body: object = {}) =>
  (await ada.post(`/projects/${ada.slug}/invitations`, { role: "publisher", projects: [first, second], ...body })).body;
const overtakenAt = (count: number) => {
  let seen = 0;
  return overtakenBy(service, ({ operation }) => operation === "TransactWriteItems" && ++seen === count);
};
const membersOf = async (slug: string) =>
  Object.keys(((await storedItem(service, keys.project(slug)))?.["members"] ?? {}) as object);
const placesOf = async (person: Developer) => {
  const all = await Promise.all([ada.slug, first, second].map(membersOf));
  return all.map((members) => members.includes(keyOf(person)));
};
/** The writes of an acceptance, in their order. */
const writes = ["is kept for the person", "first project", "second project", "project that it stands in"];
/** Ends a request before a write as if its function had stopped there. */
const stoppedAt = async (count: number, request: () => Promise<unknown>) => {
  let seen = 0;
  service.recorder.plan(({ operation }) =>
    operation === "TransactWriteItems" && ++seen >= count
      ? { kind: "refuse", error: "ProvisionedThroughputExceededException" }
      : undefined,
  );
  await request();
  service.recorder.plan(undefined);
};

describe("an acceptance that stops", () => {
  test.each(writes.map((name, at) => [name, at + 1] as const))(
    "before the write of its %s goes on when it is sent again, for the same person alone",
    async (_, count) => {
      const made = await invite();
      await stoppedAt(count, () => accept(grace, made));
      const joined = (await placesOf(grace)).filter(Boolean).length;
      expect(joined).toBe(Math.max(0, count - 2));
      const other = await actors.developer();
      if (count > 1) expect(await outcome(accept(other, made))).toBe("invitation_not_found");
      expect((await accept(grace, made)).body.more_projects).toEqual([
        { slug: first, result: "joined" },
        { slug: second, result: "joined" },
      ]);
      expect(await placesOf(grace)).toEqual([true, true, true]);
      expect(await placesOf(other)).toEqual([false, false, false]);
    },
  );

  test("does not give back a project from which the person was removed meanwhile", async () => {
    const made = await invite();
    await stoppedAt(3, () => accept(grace, made));
    const [, member] = (await ada.get(`/projects/${first}/members`)).body.members;
    await ada.delete(`/projects/${first}/members/${member.id}`);
    await accept(grace, made);
    expect(await placesOf(grace)).toEqual([true, false, true]);
  });

  test("ends if the invitation is withdrawn meanwhile", async () => {
    const made = await invite();
    await stoppedAt(3, () => accept(grace, made));
    await ada.delete(`/projects/${ada.slug}/invitations/${made.id}`);
    expect(await outcome(accept(grace, made))).toBe("invitation_not_found");
    expect(await placesOf(grace)).toEqual([false, true, false]);
  });
});

describe("while somebody accepts", () => {
  test.each(writes.map((name, at) => [name, at + 1] as const))(
    "the removal from all, before the write of its %s, leaves no role",
    async (_, count) => {
      const made = await invite({ to: grace.uid, future: true });
      await overtakenAt(count)(
        () => accept(grace, made),
        () => ada.delete(`/team?uid=${grace.uid}`),
      );
      expect(await placesOf(grace)).toEqual([false, false, false]);
      const slug = await newProject(ada);
      expect(await membersOf(slug)).toEqual([]);
    },
  );

  test("two people at once: one of them gets all", async () => {
    const other = await actors.developer();
    const made = await invite();
    await overtakenAt(1)(
      () => accept(grace, made),
      () => accept(other, made),
    );
    expect([await placesOf(grace), await placesOf(other)]).toEqual([Array(3).fill(false), Array(3).fill(true)]);
  });

  test.each<[string, (owner: Developer) => Promise<unknown>, string]>([
    ["is handed over", (owner) => handOver(ada, first, owner), "unavailable"],
    ["is deleted", () => ada.delete(`/projects/${first}`), "unavailable"],
    ["gives its last place to another", () => fillUp(first), "member_limit_reached"],
  ])("a project that %s is not joined", async (_, meanwhile, result) => {
    const other = await actors.developer();
    const made = await invite();
    const { body } = await overtakenAt(2)(
      () => accept(grace, made),
      () => meanwhile(other),
    );
    expect(body.more_projects).toEqual([
      { slug: first, result },
      { slug: second, result: "joined" },
    ]);
    expect(await placesOf(grace)).toEqual([true, false, true]);
  });

  test("a project that the owner creates is joined", async () => {
    const made = await invite({ projects: undefined, future: true });
    let slug = "";
    await overtakenAt(1)(
      () => accept(grace, made),
      async () => {
        slug = await newProject(ada);
      },
    );
    expect(await membersOf(slug)).toEqual([keyOf(grace)]);
  });
});

async function fillUp(slug: string) {
  for (let place = 0; place < 19; place += 1) await ada.post(`/projects/${slug}/invitations`, { role: "viewer" });
}

describe("while a project is created", () => {
  test.each<[string, () => Promise<unknown>]>([
    ["removed from all", () => ada.delete(`/team?uid=${grace.uid}`)],
    ["who leaves the team", () => grace.delete(`/team?owner=${ada.uid}`)],
    ["whose account is deleted", () => grace.delete("/me")],
    [
      "whose account is suspended",
      () =>
        setAttribute(service, keys.account(keyOf(grace)), "suspension", {
          at: "2026-01-01T00:00:00.000Z",
          reason: "spam",
        }),
    ],
  ])("somebody %s does not join it", async (_, meanwhile) => {
    await addMember(ada, ada.slug, grace, "publisher", { future: true });
    const slug = newSlug();
    expect(await outcome(overtakenAt(1)(() => ada.post("/projects", { slug }), meanwhile))).toBe(201);
    expect(await membersOf(slug)).toEqual([]);
  });
});

describe("a removal from all", () => {
  test("while which the owner creates a project leaves no role", async () => {
    await addMember(ada, ada.slug, grace, "publisher", { projects: [first], future: true });
    for (const count of [1, 2, 3]) {
      const slug = newSlug();
      await overtakenAt(count)(
        () => ada.delete(`/team?uid=${grace.uid}`),
        () => ada.post("/projects", { slug }),
      );
      expect([await placesOf(grace), await membersOf(slug)]).toEqual([[false, false, false], []]);
      await addMember(ada, ada.slug, grace, "publisher", { projects: [first], future: true });
    }
  });

  test.each([1, 2, 3, 4])("that stops before its write %i goes on when it is sent again", async (count) => {
    await addMember(ada, ada.slug, grace, "publisher", { projects: [first], future: true });
    await ada.post(`/projects/${second}/invitations`, { role: "viewer", to: grace.uid });
    await stoppedAt(count, () => ada.delete(`/team?uid=${grace.uid}`));
    // Whatever is left, nothing comes back meanwhile.
    if (count > 2) expect(await membersOf(await newProject(ada))).toEqual([]);
    expect((await ada.delete(`/team?uid=${grace.uid}`)).status).toBe(200);
    expect(await placesOf(grace)).toEqual([false, false, false]);
    expect((await grace.get("/invitations")).body.invitations).toEqual([]);
  });
});
