import { randomUUID } from "node:crypto";
import type { Route } from "../../../contract/api/route.ts";
import { accountKey, grantKey, keys } from "../../../functions/table/keys.ts";
import { type RouteName, routes } from "../../support/routes.ts";
import { type Actor, actorsOf, type Developer, type Person } from "../../support/service/actors.ts";
import { addMember, type Operation, type Owner, operations, withProject } from "../../support/service/operations.ts";
import type { TestService } from "../../support/service/service.ts";
import { newProject, newSlug } from "../../support/service/steps.ts";

/** A request that is about to be made, and everything in the table that it may change. */
export interface PreparedRequest {
  readonly caller: Actor;
  readonly operation: Operation;
  /** The partition keys of caller and project. No other run has them. */
  readonly partitions: readonly string[];
}

/** Something that a caller does, with a new caller each time. */
export interface Scenario {
  readonly name: string;
  prepare(service: TestService): Promise<PreparedRequest>;
  /** The status of the same request if it had taken effect already; undefined: the same as at first. */
  readonly secondResponse?: number;
  /** Done twice it has two effects: a client that lost the response finds the first one in a list. */
  readonly hasTwoEffects?: true;
  /** It continues where an earlier request stopped, so something may be stored halfway. */
  readonly inSteps?: true;
  /** It counts an object before it stores it. If it fails, the object stays counted until the sweep. */
  readonly countsFirst?: true;
}

const repeated: Partial<Record<string, Omit<Scenario, "name" | "prepare">>> = {
  createToken: { hasTwoEffects: true },
  createProject: { secondResponse: 409 },
  createTelemetryGrant: { hasTwoEffects: true },
  createDelivery: { hasTwoEffects: true },
  createWebhook: { hasTwoEffects: true },
  deleteWebhook: { secondResponse: 404 },
  createRelease: { secondResponse: 200, countsFirst: true },
  revokeCurrentToken: { secondResponse: 401 },
  rotateToken: { hasTwoEffects: true },
  // A code that comes a second time also revokes the token that it was exchanged for (RFC 6749, section 4.1.2).
  exchangeGrant: { secondResponse: 400, hasTwoEffects: true },
  answerDeviceRequest: { secondResponse: 404 },
  deleteMe: { secondResponse: 403, inSteps: true },
  leaveTeam: { inSteps: true },
  deleteProject: { secondResponse: 410 },
  removeMember: { secondResponse: 404 },
  createInvitation: { hasTwoEffects: true },
  acceptInvitation: { secondResponse: 404 },
  deleteInvitation: { secondResponse: 404 },
  deletePublisher: { secondResponse: 404 },
  deletePendingPublisher: { secondResponse: 404 },
};

/** Every route by ID token, and by a personal access token if the route takes one. */
const everyRoute: Scenario[] = (Object.keys(routes) as RouteName[]).flatMap((name) => [
  ...(routes[name].credential === "token"
    ? []
    : [{ name, prepare: (service: TestService) => byOwner(service, name, async (owner) => owner), ...repeated[name] }]),
  ...(routes[name].credential === "any" || routes[name].credential === "token"
    ? [
        {
          name: `${name} by PAT`,
          prepare: (service: TestService) => byOwner(service, name, usedToken),
          ...repeated[name],
        },
      ]
    : []),
]);

/** Calls of routes in other states of the caller. */
const otherPaths: Scenario[] = [
  {
    name: "createSession that creates the account",
    prepare: async (service) => signIn(service, await actorsOf(service).stranger(), "user"),
    secondResponse: 200,
  },
  {
    name: "createSession that creates a developer",
    prepare: async (service) => signIn(service, await actorsOf(service).stranger(), "dev"),
    secondResponse: 200,
  },
  {
    name: "createSession that upgrades",
    prepare: async (service) => signIn(service, await actorsOf(service).user(), "dev"),
  },
  {
    name: "createSession that changes the email address",
    prepare: async (service) => {
      const { uid } = await actorsOf(service).user();
      return signIn(service, await actorsOf(service).stranger({ sub: uid, email: `new-${uid}@example.test` }), "user");
    },
  },
  {
    name: "acceptInvitation to several projects and those to come",
    prepare: async (service) => {
      const [owner, person] = [
        await withProject(await actorsOf(service).developer()),
        await actorsOf(service).developer(),
      ];
      const [path, second] = [`/projects/${owner.slug}/invitations`, await newProject(owner)];
      const { body } = await owner.post(path, { role: "admin", to: person.uid, projects: [second], future: true });
      const projects = [owner.slug, second].map((slug) => `PROJECT#${slug}`);
      return {
        caller: person,
        operation: { method: "POST", path: `${path}/${body.id}/acceptance` },
        partitions: [accountPartition(service, person), accountPartition(service, owner), ...projects],
      };
    },
    secondResponse: 404,
    inSteps: true,
  },
  {
    name: "createProject that a team joins",
    prepare: async (service) => {
      const [owner, person] = [
        await withProject(await actorsOf(service).developer()),
        await actorsOf(service).developer(),
      ];
      await addMember(owner, owner.slug, person, "publisher", { future: true });
      const slug = newSlug();
      return {
        caller: owner,
        operation: { method: "POST", path: "/projects", body: { slug } },
        partitions: [accountPartition(service, owner), accountPartition(service, person), `PROJECT#${slug}`],
      };
    },
    secondResponse: 409,
  },
  {
    name: "createToken narrowed to a project",
    prepare: (service) =>
      byOwner(
        service,
        "createToken",
        async (owner) => owner,
        (owner) => ({ projects: [owner.slug] }),
      ),
    hasTwoEffects: true,
  },
];

/** The routes that take an idempotency key: sent twice with one, they create one thing. */
const withIdempotencyKey: Scenario[] = (Object.keys(routes) as RouteName[])
  .filter((name) => (routes[name] as Route).idempotencyKey)
  .map((name) => ({
    name: `${name} with an idempotency key`,
    prepare: async (service) => {
      const { operation, ...prepared } = await byOwner(service, name, async (owner) => owner);
      return { ...prepared, operation: { ...operation, headers: { "idempotency-key": randomUUID() } } };
    },
    // The token of the lost response is revoked, so more is stored than after one request.
    ...(/Token$/.test(name) && { hasTwoEffects: true }),
    ...(name === "createRelease" && { countsFirst: true }),
  }));

/** Every path through the service that reads or writes the table. */
export const scenarios: readonly Scenario[] = [...everyRoute, ...withIdempotencyKey, ...otherPaths];

/** The first use of a token is recorded beside the operation, which succeeds also if that fails. */
export const firstUse: Scenario = {
  name: "getMe by a PAT that was never used",
  prepare: (service) => byOwner(service, "getMe", (owner) => owner.token()),
};

async function byOwner(
  service: TestService,
  name: RouteName,
  callerOf: (owner: Owner) => Promise<Actor>,
  more: (owner: Owner) => object = () => ({}),
): Promise<PreparedRequest> {
  const owner = await withProject<Developer>(await actorsOf(service).developer());
  const caller = await callerOf(owner);
  const { body, ...rest } = await operations[name](owner);
  const hasMembers = body !== undefined && !(body instanceof URLSearchParams) && !Array.isArray(body);
  const operation = hasMembers ? { ...rest, body: { ...(body as object), ...more(owner) } } : { ...rest, body };
  const [, inPath = owner.slug] = rest.path.match(/^\/projects\/([\w-]+)/) ?? [];
  const slugs = new Set([owner.slug, inPath, (body as { slug?: string } | undefined)?.slug ?? newSlug()]);
  return {
    caller,
    operation,
    partitions: [
      accountPartition(service, owner),
      ...[...slugs].flatMap((slug) => [`PROJECT#${slug}`, `CRASHES#${slug}`]),
      ...devicePartitions(operation.path),
    ],
  };
}

/** The partition of the device request whose user code a path names. */
function devicePartitions(path: string): string[] {
  const [userCode] = path.match(/[B-Z]{4}-[B-Z]{4}/) ?? [];
  return userCode === undefined ? [] : [keys.deviceRequest(grantKey(`device:${userCode.replace("-", "")}`)).PK];
}

async function usedToken(owner: Owner): Promise<Actor> {
  const token = await owner.token({ scopes: ["publish", "projects"] });
  await token.get("/me");
  return token;
}

function signIn(service: TestService, person: Person, role: "user" | "dev"): PreparedRequest {
  const operation = { method: "POST", path: "/auth/session", body: { role } };
  return { caller: person, operation, partitions: [accountPartition(service, person), `PROJECT#${randomUUID()}`] };
}

function accountPartition({ issuer }: TestService, { uid }: Person): string {
  return `ACCOUNT#${accountKey(issuer, uid)}`;
}
