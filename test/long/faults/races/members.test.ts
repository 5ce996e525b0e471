import { expect, test } from "@jest/globals";
import { actorsOf, type Developer } from "../../../support/service/actors.ts";
import { withProject } from "../../../support/service/operations.ts";
import { useEmptiedService } from "../../../support/service/suite.ts";
import { brokenInvariants } from "../../../support/table/invariants.ts";
import { everyItem } from "../../../support/table/stored.ts";

const service = useEmptiedService();
const actors = actorsOf(service);
const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const project = async () => await withProject(await actors.developer());
const statuses = (responses: readonly { status: number }[]) => responses.map(({ status }) => status).toSorted();
const invite = async (owner: Developer & { slug: string }, body: object) =>
  (await owner.post(`/projects/${owner.slug}/invitations`, body)).body;
const accept = (person: Developer, slug: string, { id, secret }: { id: string; secret: string | null }) =>
  person.post(`/projects/${slug}/invitations/${id}/acceptance`, secret === null ? undefined : { secret });
const membersOf = async (owner: Developer & { slug: string }) =>
  (await owner.get(`/projects/${owner.slug}/members`)).body.members;

test("19 who accept their links at once all become members, and nobody more is invited", async () => {
  const owner = await project();
  const links: { id: string; secret: string }[] = [];
  while (links.length < 19) links.push(await invite(owner, { role: "publisher" }));
  const joining = await times(19, () => actors.developer());
  const responses = await times(19, (index) =>
    accept(joining[index] as Developer, owner.slug, links[index] as (typeof links)[number]),
  );
  expect(statuses(responses)).toEqual(Array(19).fill(200));
  expect(await membersOf(owner)).toHaveLength(20);
  expect(await owner.post(`/projects/${owner.slug}/invitations`, { role: "admin" })).toMatchObject({ status: 409 });
  expect(brokenInvariants(await everyItem(service))).toEqual([]);
});

test("30 invitations at once leave at most 19, and 10 who use one link at once are one member", async () => {
  const owner = await project();
  const path = `/projects/${owner.slug}`;
  const made = await times(30, () => owner.post(`${path}/invitations`, { role: "publisher" }));
  const links = made.filter(({ status }) => status === 200);
  expect(links.length).toBeLessThanOrEqual(19);
  expect((await owner.get(`${path}/members`)).body.invitations).toHaveLength(links.length);
  const joining = await times(10, () => actors.developer());
  const responses = await times(10, (index) => accept(joining[index] as Developer, owner.slug, links[0]?.body));
  expect(statuses(responses)).toEqual([200, ...Array(9).fill(404)]);
  expect(await membersOf(owner)).toHaveLength(2);
});

test("two hand-overs at once: the project has one owner, who counts it", async () => {
  for (let round = 0; round < 10; round += 1) {
    const owner = await project();
    const [grace, mary] = [await actors.developer(), await actors.developer()];
    const first = await invite(owner, { role: "owner", to: grace.uid });
    const [accepted, second] = await Promise.all([
      accept(grace, owner.slug, first),
      owner.post(`/projects/${owner.slug}/invitations`, { role: "owner", to: mary.uid }),
    ]);
    if (second.status === 200) await accept(mary, owner.slug, second.body);
    expect([accepted.status, second.status]).toContain(200);
    const owning = await Promise.all([owner, grace, mary].map((each) => each.get("/projects")));
    const owned = owning.filter(({ body }) => body.projects.some(({ slug }: { slug: string }) => slug === owner.slug));
    expect(owned).toHaveLength(1);
  }
  expect(brokenInvariants(await everyItem(service))).toEqual([]);
});

test("an account that is deleted while it accepts is no member afterwards", async () => {
  for (let round = 0; round < 10; round += 1) {
    const [owner, grace] = [await project(), await actors.developer()];
    const link = await invite(owner, { role: "admin" });
    const [accepted, deleted] = await Promise.all([accept(grace, owner.slug, link), grace.delete("/me")]);
    expect([200, 403, 404]).toContain(accepted.status);
    expect(deleted.status).toBe(204);
    expect(await membersOf(owner)).toHaveLength(1);
  }
  expect(brokenInvariants(await everyItem(service))).toEqual([]);
});
