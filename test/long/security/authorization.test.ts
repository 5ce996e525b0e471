import { beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
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
import { emptyTable, everyItem, setAttribute } from "../../support/table/stored.ts";
import { type CallerKind, callers, people, peopleRowOf, refusals, rowOf } from "./authorization-table.ts";

const service = useService({});
let owner: Owner;
let actorOf: Record<CallerKind, () => Promise<Actor>>;

/** New callers in an empty table: an owner with a project, the owner's tokens, and everybody else. */
async function makeCallers(): Promise<void> {
  await emptyTable(service);
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

/** Routes that change their caller, so that the next request needs new callers. */
const endings: ReadonlySet<RouteName> = new Set(["revokeCurrentToken", "revokeTokens", "deleteMe"]);

describe.each(Object.keys(routes) as RouteName[])("%s", (name) => {
  /** A request that nobody has succeeded with, or that changes nothing, serves the next caller too. */
  let prepared: { readonly operation: Operation; readonly before: unknown } | undefined;
  const prepare = async () => ({ operation: await operations[name](owner), before: await state() });
  const begin = async () => {
    prepared = undefined;
    await makeCallers();
  };
  if (endings.has(name)) beforeEach(begin);
  else beforeAll(begin);

  const rows = [...callers, ...people].map(
    (caller, column) => [caller, [...rowOf(name), ...peopleRowOf(name)][column] as number] as const,
  );
  test.each(rows)("called by %s responds with %i", async (caller, expected) => {
    const { operation, before } = prepared ?? (await prepare());
    const changesNothing = expected >= 400 || operation.method === "GET";
    prepared = changesNothing ? { operation, before } : undefined;
    const { status, body } = await perform(await actorOf[caller](), operation);
    expect({ status, code: body?.code }).toMatchObject({ status: expected });
    if (expected >= 400) expect(refusals[caller]).toContain(body.code);
    if (changesNothing) expect(await state()).toEqual(before);
  });
});
