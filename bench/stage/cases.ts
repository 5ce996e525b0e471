import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { kebabCase, type RouteName } from "../../contract/routes.ts";
import { bundleFolderOf } from "../../infra/bundle.ts";
import type { Actors, Developer } from "../../test/support/actors.ts";
import { type Folder, manifestOf, openRelease, publish } from "../../test/support/publishing.ts";
import type { ApiRequest } from "./invocation.ts";

/** What is measured of a route: a request that succeeds. */
export interface Case {
  readonly name: string;
  readonly route: RouteName;
  /** Makes requests that succeed once each, whatever other requests do meanwhile. */
  prepare(actors: Actors, count: number): Promise<ApiRequest[]>;
}

/** An account has at most 50 active tokens and 50 projects, and requests of one account that write meet in its item. */
const perDeveloper = 10;

/** The cases of every route that has a function, those that only read before those that write. */
export function cases(): readonly Case[] {
  return all.filter(({ route }) => existsSync(join(bundleFolderOf(kebabCase(route)), "index.mjs")));
}

const all: readonly Case[] = [
  { name: "GET /health", route: "getHealth", prepare: same(async () => ({ path: "/health" })) },
  { name: "GET /openapi.json", route: "getOpenApi", prepare: same(async () => ({ path: "/openapi.json" })) },
  {
    name: "GET /me by token",
    route: "getMe",
    prepare: same(async (actors) => ({ path: "/me", ...(await usedToken(actors)) })),
  },
  { name: "GET /me by ID token", route: "getMe", prepare: same(bySession("/me")) },
  { name: "GET /me/events", route: "listEvents", prepare: same(bySession("/me/events")) },
  {
    name: "GET /users/:uid",
    route: "getUser",
    prepare: same(async (actors) => ({ path: `/users/${(await actors.developer()).uid}` })),
  },
  { name: "GET /tokens", route: "listTokens", prepare: same(bySession("/tokens")) },
  {
    name: "GET /projects",
    route: "listProjects",
    prepare: same(async (actors) => {
      const developer = await actors.developer();
      await createProject(developer);
      return { path: "/projects", credential: developer.credential };
    }),
  },
  {
    name: "GET /projects/:slug",
    route: "getProject",
    prepare: same(async (actors) => ({ path: `/projects/${await createProject(await actors.developer())}` })),
  },
  {
    name: "POST /auth/session, nothing new",
    route: "createSession",
    prepare: same(async (actors) => ({ ...(await bySession("/auth/session")(actors)), body: {} })),
  },
  {
    name: "POST /auth/session, first",
    route: "createSession",
    prepare: (actors, count) =>
      times(count, async () => ({
        path: "/auth/session",
        credential: (await actors.stranger()).credential,
        body: { role: "dev" },
      })),
  },
  {
    name: "PATCH /me",
    route: "updateMe",
    prepare: same(async (actors) => ({ ...(await bySession("/me")(actors)), body: { bio: "I make games." } })),
  },
  {
    name: "POST /tokens",
    route: "createToken",
    prepare: (actors, count) =>
      spread(actors, count, async ({ credential }) => ({
        path: "/tokens",
        credential,
        body: { name: "CI of the game", scopes: ["publish"] },
      })),
  },
  {
    name: "DELETE /tokens/:id",
    route: "revokeToken",
    prepare: (actors, count) =>
      spread(actors, count, async (developer) => ({
        path: `/tokens/${(await developer.token()).id}`,
        credential: developer.credential,
      })),
  },
  {
    name: "POST /projects",
    route: "createProject",
    prepare: (actors, count) =>
      spread(actors, count, async ({ credential }) => ({
        path: "/projects",
        credential,
        body: { slug: newSlug(), name: "A game" },
      })),
  },
  {
    name: "PATCH /projects/:slug",
    route: "updateProject",
    prepare: same(async (actors) => {
      const developer = await actors.developer();
      const path = `/projects/${await createProject(developer)}`;
      return { path, credential: developer.credential, body: { description: "It is about a dragon." } };
    }),
  },
  {
    name: "POST /projects/:slug/releases, 20 files",
    route: "createRelease",
    prepare: (actors, count) =>
      publishing(actors, count, async ({ path, credential }) => ({
        path: `${path}/releases`,
        credential,
        body: { files: manifestOf(someFiles(20)) },
      })),
  },
  {
    name: "POST …/releases/:id/uploads, 1,000 files",
    route: "createUploads",
    prepare: same(async (actors) => {
      const { path, credential, developer } = await owner(actors);
      const files = manifestOf(someFiles(1_000));
      const { body } = await developer.post(`${path}/releases`, { files });
      return { path: `${path}/releases/${body.release.id}/uploads`, credential, body: { sha256: body.missing } };
    }),
  },
  {
    name: "POST …/releases/:id/publish",
    route: "publishRelease",
    prepare: (actors, count) =>
      publishing(actors, count, async ({ path, slug, credential, developer }) => {
        const { body } = await openRelease(developer, slug, someFiles(3));
        return { path: `${path}/releases/${body.release.id}/publish`, credential };
      }),
  },
  {
    name: "GET /projects/:slug/releases",
    route: "listReleases",
    prepare: same(async (actors) => {
      const { path, slug, credential, developer } = await owner(actors);
      await publish(developer, slug, someFiles(3));
      return { path: `${path}/releases`, credential };
    }),
  },
  {
    name: "GET /projects/:slug/releases/:id",
    route: "getRelease",
    prepare: same(async (actors) => {
      const { path, slug, credential, developer } = await owner(actors);
      return { path: `${path}/releases/${await publish(developer, slug, someFiles(3))}`, credential };
    }),
  },
  {
    name: "GET /projects/:slug/files/*path",
    route: "getFile",
    prepare: same(async (actors) => {
      const { path, slug, developer } = await owner(actors);
      const files = someFiles(3);
      await publish(developer, slug, files);
      return { path: `${path}/files/${Object.keys(files)[1]}` };
    }),
  },
];

interface Owner {
  readonly developer: Developer;
  readonly slug: string;
  /** Of the project. */
  readonly path: string;
  readonly credential: string;
}

/** A developer with a project; the credential is a used token that may publish, as a command line has it. */
async function owner(actors: Actors, developer?: Developer): Promise<Owner> {
  const one = developer ?? (await actors.developer());
  const slug = await createProject(one);
  const token = await one.token({ scopes: ["publish"] });
  await token.get("/me");
  return { developer: one, slug, path: `/projects/${slug}`, credential: token.credential };
}

/** Requests that each go to a project of their own. */
async function publishing(
  actors: Actors,
  count: number,
  make: (one: Owner) => Promise<ApiRequest>,
): Promise<ApiRequest[]> {
  return await spread(actors, count, async (developer) => make(await owner(actors, developer)));
}

/** New files of some bytes each. */
function someFiles(count: number): Folder {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [index === 0 ? "index.html" : `level-${index}.bin`, randomUUID()]),
  );
}

type Make = (actors: Actors) => Promise<ApiRequest>;

/** A request that may be sent again and again. */
function same(make: Make): Case["prepare"] {
  return async (actors, count) => new Array<ApiRequest>(count).fill(await make(actors));
}

function bySession(path: string): Make {
  return async (actors) => ({ path, credential: (await actors.developer()).credential });
}

/** A token whose use has been noted already, as that of every but the first request in an hour. */
async function usedToken(actors: Actors): Promise<{ credential: string }> {
  const token = await actors.token("publish");
  await token.get("/me");
  return { credential: token.credential };
}

/** Requests of as many developers as their limits ask for. */
async function spread(
  actors: Actors,
  count: number,
  make: (developer: Developer) => Promise<ApiRequest>,
): Promise<ApiRequest[]> {
  const developers = await times(Math.ceil(count / perDeveloper), () => actors.developer());
  return await times(count, (index) => make(developers[index % developers.length] as Developer));
}

async function times<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let index = 0; index < count; index += 1) made.push(await make(index));
  return made;
}

function newSlug(): string {
  return `game-${randomUUID()}`.slice(0, 40).replace(/-+$/, "");
}

/** @returns its slug */
async function createProject(developer: Developer): Promise<string> {
  const slug = newSlug();
  const { status } = await developer.post("/projects", { slug });
  if (status !== 201) throw new Error(`POST /projects answered ${status}`);
  return slug;
}
