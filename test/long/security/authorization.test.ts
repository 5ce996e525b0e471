import { beforeAll, describe, expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { type RouteName, routes } from "../../support/routes.ts";
import { type Actor, actorsOf, type Person } from "../../support/service/actors.ts";
import {
  addMember,
  type Operation,
  type Owner,
  operations,
  perform,
  withProject,
} from "../../support/service/operations.ts";
import { useService } from "../../support/service/suite.ts";
import { emptyTable, everyItem, type StoredItem, setAttribute, storeItems } from "../../support/table/stored.ts";
import { type CallerKind, callers, people, peopleRowOf, refusals, rowOf } from "./authorization-table.ts";

const service = useService({});
let owner: Owner;
let actorOf: Record<CallerKind, () => Promise<Actor>>;
/** What is stored of the callers before their first request. */
let callersItems: StoredItem[];

/** An owner with a project, the owner's tokens, and everybody else. */
beforeAll(async () => {
  const actors = actorsOf(service);
  owner = await withProject(await actors.developer());
  const other = await withProject(owner);
  const [user, otherDeveloper] = [await actors.user(), await actors.otherDeveloper()];
  const tokens = {
    preview: await owner.token({ scopes: ["preview"] }),
    publish: await owner.token({ scopes: ["publish"] }),
    projects: await owner.token({ scopes: ["projects"] }),
    narrowed: await owner.token({ scopes: ["publish", "projects"], projects: [other.slug] }),
    expired: await owner.token({ scopes: ["publish", "projects"] }),
    revoked: await owner.token({ scopes: ["publish", "projects"] }),
    others: await otherDeveloper.token({ scopes: ["publish", "projects"] }),
  };
  // These tests are not about the record of a token's first use.
  for (const token of Object.values(tokens)) await token.get("/me");
  await expire(tokens.expired.id);
  await owner.delete(`/tokens/${tokens.revoked.id}`);
  const always = (actor: Actor) => async () => actor;
  actorOf = {
    anonymous: always(actors.anonymous),
    "malformed PAT": always(actors.bearer("pat_malformed")),
    "malformed ID token": always(actors.bearer("not.an.id-token")),
    stranger: () => actors.stranger(),
    user: always(user),
    "other developer": always(otherDeveloper),
    owner: always(owner),
    "preview PAT": always(tokens.preview),
    "publish PAT": always(tokens.publish),
    "projects PAT": always(tokens.projects),
    "narrowed PAT": always(tokens.narrowed),
    "expired PAT": always(tokens.expired),
    "revoked PAT": always(tokens.revoked),
    "other developer's PAT": always(tokens.others),
    ...(await makePeople()),
  };
  callersItems = await everyItem(service);
});

/** The callers as they were made, and nothing else: to make them again takes ten times as many requests. */
async function restoreCallers(): Promise<void> {
  await emptyTable(service);
  await storeItems(service, callersItems);
}

async function makePeople() {
  const actors = actorsOf(service);
  const all = await Promise.all(people.map((kind) => (kind === "viewing user" ? actors.user() : actors.developer())));
  const [admin, publisher, viewer, viewingUser, removed, invited] = all as [
    Person,
    Person,
    Person,
    Person,
    Person,
    Person,
  ];
  await addMember(owner, owner.slug, admin, "admin");
  await addMember(owner, owner.slug, removed, "admin");
  await addMember(owner, owner.slug, publisher, "publisher");
  await addMember(owner, owner.slug, viewer, "viewer");
  await addMember(owner, owner.slug, viewingUser, "viewer");
  await removed.delete(`/projects/${owner.slug}/members/me`);
  await owner.post(`/projects/${owner.slug}/invitations`, { role: "admin", to: invited.uid });
  const always = (actor: Actor) => async () => actor;
  return {
    admin: always(admin),
    publisher: always(publisher),
    viewer: always(viewer),
    "viewing user": always(viewingUser),
    "removed member": always(removed),
    "invited stranger": always(invited),
  };
}

async function expire(tokenId: string): Promise<void> {
  const key = keys.token(accountKey(service.issuer, owner.uid), tokenId);
  await setAttribute(service, key, "expiresAt", new Date().toISOString());
}

/** Everything that is stored, except how often somebody has looked up a user code, which a GET counts. */
async function state() {
  return (await everyItem(service)).filter(({ SK }) => !String(SK).startsWith("LOOKUPS#"));
}

/** Routes that change their caller, so that the next request needs the callers restored. */
const endings: ReadonlySet<RouteName> = new Set(["revokeCurrentToken", "revokeTokens", "deleteMe"]);

describe.each(Object.keys(routes) as RouteName[])("%s", (name) => {
  const rows = [...callers, ...people].map(
    (caller, column) => [caller, [...rowOf(name), ...peopleRowOf(name)][column] as number] as const,
  );
  const [withoutEffect = [], withEffect = []] = [true, false].map((isWithout) =>
    rows.filter(([, expected]) => (expected >= 400 || routes[name].method === "GET") === isWithout),
  );
  const request = async (caller: CallerKind, operation: Operation, expected: number) => {
    const { status, body } = await perform(await actorOf[caller](), operation);
    expect({ status, code: body?.code }).toMatchObject({ status: expected });
    if (expected >= 400) expect(refusals[caller]).toContain(body.code);
  };

  /** One request serves all who have no effect. */
  let operation: Operation;
  let before: unknown;
  beforeAll(async () => {
    await restoreCallers();
    operation = await operations[name](owner);
    before = await state();
  });

  if (withoutEffect.length > 0) {
    test.each(withoutEffect)("called by %s responds with %i", async (caller, expected) => {
      await request(caller, operation, expected);
    });

    test("called by those changes nothing", async () => {
      expect(await state()).toEqual(before);
    });
  }

  if (withEffect.length > 0)
    test.each(withEffect)("called by %s responds with %i", async (caller, expected) => {
      if (endings.has(name)) await restoreCallers();
      await request(caller, await operations[name](owner), expected);
    });
});
