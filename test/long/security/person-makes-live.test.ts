import { isDeepStrictEqual } from "node:util";
import { expect, test } from "@jest/globals";
import { entriesOf } from "../../../functions/domain/projects/pointers.ts";
import { readPublicPage } from "../../../functions/domain/projects/published-facts.ts";
import { keys } from "../../../functions/table/keys.ts";
import { readProject } from "../../../functions/table/projects/project-items.ts";
import { githubClaims, githubPublisher, newRepository, type Repository } from "../../support/identity/jobs.ts";
import { type RouteName, routes } from "../../support/routes.ts";
import type { Actor, Developer } from "../../support/service/actors.ts";
import type { CheckedResponse } from "../../support/service/checked-request.ts";
import { exchangeAt, useJobs } from "../../support/service/jobs.ts";
import {
  addMember,
  type Operation,
  type Owner,
  operations,
  perform,
  withProject,
} from "../../support/service/operations.ts";
import { makeLive, publish, readyRelease } from "../../support/service/steps.ts";
import { useFunctionEnvironment } from "../../support/service/suite.ts";
import { setAttribute } from "../../support/table/stored.ts";

/*
 * Ways to change what players get of a project in which a person makes live, for who has stolen something: all requests of the contract
 * and what can be done with their responses. What players get follows from the game's pointer, which names files by their content, and
 * from the public page.
 */
const { service, actors, issuers } = useJobs();
useFunctionEnvironment(service, () => ({ GAMES_DOMAIN: service.gamesDomain }));

interface Scene {
  readonly owner: Owner;
  readonly admin: Developer;
  /** A person without any right in the project, who works with the thief and has just signed in. */
  readonly accomplice: Developer;
  readonly repository: Repository;
  /** Releases: one that was live once, and one that is complete and was never live. */
  readonly earlier: string;
  readonly complete: string;
}

const oldSignIn = (uid: string) =>
  actors.stranger({ sub: uid, auth_time: Math.floor(Date.now() / 1_000) - 15 * 60 - 5 });

const job = async ({ owner, repository }: Scene): Promise<Actor> => {
  const identity = issuers.github.idToken({ claims: { aud: service.api, ...githubClaims(repository) } });
  const { body } = await exchangeAt(service, owner.slug, identity, { owner: owner.uid });
  return actors.bearer(body.access_token);
};

/** What is stolen, as who has it uses it. */
type Theft = (scene: Scene) => Promise<Actor>;

const thefts: Readonly<Record<string, Theft>> = {
  "a token of the owner": ({ owner }) => owner.token({ scopes: ["publish", "projects"] }),
  "all secrets of CI": ({ owner }) => owner.token({ scopes: ["publish"], projects: [owner.slug] }),
  "the identity of a job": job,
  "a member's machine": ({ admin }) => admin.token({ scopes: ["publish", "projects"] }),
  "an ID token of the owner that is older than 15 minutes": ({ owner }) => oldSignIn(owner.uid),
  "such an ID token of an admin": ({ admin }) => oldSignIn(admin.uid),
};

/** Requests beside those of {@link operations}: the same routes with other bodies, and with what is there already. */
const more: Readonly<Record<string, (scene: Scene) => Operation>> = {
  "updateProject: no person": ({ owner }) => edit(owner, { person_makes_live: false }),
  "updateProject: all fields": ({ owner }) =>
    edit(owner, {
      name: "Mine",
      description: "Mine",
      pictures: [],
      how_to_play: "Mine",
      show_provenance: true,
      refuse_tokens: true,
      person_makes_live: false,
    }),
  "publishRelease: an earlier one": ({ owner, earlier }) => act(owner, `releases/${earlier}/publish`),
  "publishRelease: a complete one": ({ owner, complete }) => act(owner, `releases/${complete}/publish`),
  "withdrawRelease: an earlier one": ({ owner, earlier }) => act(owner, `releases/${earlier}/withdraw`),
  "unpublishProject: the game": ({ owner }) => act(owner, "unpublish"),
  "deleteProject: the game": ({ owner }) => ({ method: "DELETE", path: `/projects/${owner.slug}` }),
  "createInvitation: an admin": ({ owner, accomplice }) =>
    act(owner, "invitations", { role: "admin", to: accomplice.uid }),
  "createInvitation: the owner": ({ owner, accomplice }) =>
    act(owner, "invitations", { role: "owner", to: accomplice.uid }),
  "createInvitation: a link": ({ owner }) => act(owner, "invitations", { role: "publisher" }),
  "createPublisher: the thief's jobs": ({ owner }) =>
    act(owner, "publishers", githubPublisher(thiefsRepository, issuers.github.issuer)),
};

const thiefsRepository = newRepository();
const act = ({ slug }: Owner, rest: string, body?: object): Operation => ({
  method: "POST",
  path: `/projects/${slug}/${rest}`,
  ...(body && { body }),
});
const edit = ({ slug }: Owner, body: object): Operation => ({ method: "PATCH", path: `/projects/${slug}`, body });

async function newScene(): Promise<Scene> {
  const owner = await withProject(await actors.developer());
  const [admin, accomplice] = await Promise.all([owner.otherDeveloper(), owner.otherDeveloper()]);
  const repository = newRepository();
  await addMember(owner, owner.slug, admin, "admin");
  await owner.post(`/projects/${owner.slug}/publishers`, githubPublisher(repository, issuers.github.issuer));
  const earlier = await publish(owner, owner.slug, { "index.html": "1" });
  await publish(owner, owner.slug, { "index.html": "2" });
  const complete = await readyRelease(owner, owner.slug, "3");
  return { owner, admin, accomplice, repository, earlier, complete };
}

/** What players get of a project. */
async function play(slug: string) {
  const [[, pointer] = []] = entriesOf(slug, await readProject(slug), new Date());
  return { pointer, page: await readPublicPage(slug) };
}

/** What the thief does with a response: a credential in it publishes and rolls back, an invitation is accepted by the accomplice. */
async function useResponse({ body }: CheckedResponse, { owner, accomplice, complete, earlier }: Scene): Promise<void> {
  const path = `/projects/${owner.slug}/invitations/${body?.id}/acceptance`;
  const accepted = await accomplice.post(path, body?.secret ? { secret: body.secret } : {});
  const identity = issuers.github.idToken({ claims: { aud: service.api, ...githubClaims(thiefsRepository) } });
  const exchanged = await exchangeAt(service, owner.slug, identity, { owner: owner.uid });
  const found = [body?.token, body?.access_token, exchanged.body.access_token];
  const callers: Actor[] = found.filter((value) => typeof value === "string").map((value) => actors.bearer(value));
  if (accepted.status === 200) callers.push(accomplice);
  for (const caller of callers) for (const id of [complete, earlier]) await makeLive(caller, owner.slug, id);
}

/** Requests that end what is stolen. */
const endings: readonly string[] = ["revokeCurrentToken", "revokeTokens", "deleteMe"] satisfies RouteName[];
const names = Object.keys(routes) as RouteName[];
const requests: readonly (readonly [string, (scene: Scene) => Operation | Promise<Operation>])[] = [
  ...names.map((name) => [name, ({ owner }: Scene) => operations[name](owner)] as const),
  ...Object.entries(more),
];

/** The requests after which players get something else, in projects where a person makes live or not. */
async function waysOf(steal: Theft, isDemanded: boolean): Promise<string[]> {
  const ways: string[] = [];
  const begin = async () => {
    const scene = await newScene();
    return { scene, thief: await steal(scene) };
  };
  let begun = await begin();
  for (const [name, request] of requests) {
    const { scene, thief } = begun;
    const operation = await request(scene);
    const [, kind, named] = operation.path.split("/");
    const slugs = [...new Set([scene.owner.slug, ...(kind === "projects" && named ? [named] : [])])];
    for (const slug of slugs) await setAttribute(service, keys.project(slug), "personMakesLive", isDemanded);
    const before = await Promise.all(slugs.map(play));
    const response = await perform(thief, operation);
    if (response.status < 300 && operation.method === "POST") await useResponse(response, scene);
    const isChanged = !isDeepStrictEqual(await Promise.all(slugs.map(play)), before);
    if (isChanged) ways.push(name);
    if (isChanged || endings.includes(name)) begun = await begin();
  }
  return ways;
}

/** All requests of the contract, of which each takes a moment. */
const patienceMilliseconds = 300_000;

test.each(Object.entries(thefts))(
  "who has %s changes nothing that players get",
  async (_, steal) => {
    expect(await waysOf(steal, true)).toEqual([]);
  },
  patienceMilliseconds,
);

// By hand: it shows that the measurement sees changes.
const publications = [
  ...["exchangeGrant", "publishRelease", "publishRelease: a complete one", "publishRelease: an earlier one"],
];
const offline = ["unpublishProject", "unpublishProject: the game"];
const withoutPerson: Readonly<Record<string, readonly string[]>> = {
  "a token of the owner": [...publications, ...offline, "updateProject"],
  "the identity of a job": ["exchangeGrant", "publishRelease", "publishRelease: a complete one"],
  "an ID token of the owner that is older than 15 minutes": [
    ...["createInvitation", "createInvitation: a link", "createInvitation: an admin", "createInvitation: the owner"],
    ...["createPublisher: the thief's jobs", "createToken", "deleteProject", "deleteProject: the game"],
    ...[...publications, "restoreProject", "rotateToken", ...offline, "updateProject", "updateProject: all fields"],
    ...["withdrawRelease", "withdrawRelease: an earlier one"],
  ],
};

test.each(Object.entries(withoutPerson))(
  "who has %s finds ways where no person makes live",
  async (name, ways) => {
    expect((await waysOf(thefts[name] as Theft, false)).toSorted()).toEqual(ways);
  },
  patienceMilliseconds,
);
