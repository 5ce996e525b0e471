import { randomUUID } from "node:crypto";
import { type RouteName, routes } from "../../contract/routes.ts";
import { accountKey } from "../../functions/table/keys.ts";
import { type Actor, actorsOf, type Developer, type Person } from "../support/actors.ts";
import { isServed, newSlug, type Operation, type Owner, operations, withProject } from "../support/operations.ts";
import type { TestStage } from "../support/stage.ts";

/** A request that is about to be made, and everything in the table that it may change. */
export interface Prepared {
  readonly caller: Actor;
  readonly operation: Operation;
  /** The partition keys of caller and project. No other run has them. */
  readonly partitions: readonly string[];
}

/** Something that a caller does, each time with a new caller. */
export interface Scenario {
  readonly name: string;
  prepare(stage: TestStage): Promise<Prepared>;
  /** What the same request answers where it had taken effect already; unset: the same as at first. */
  readonly secondAnswer?: number;
  /** Done twice it has two effects: whoever lost the answer finds the first one in a list. */
  readonly hasTwoEffects?: true;
}

const repeated: Partial<Record<RouteName, Pick<Scenario, "secondAnswer" | "hasTwoEffects">>> = {
  createToken: { hasTwoEffects: true },
  createProject: { secondAnswer: 409 },
  createRelease: { secondAnswer: 200 },
};

/** Every route by ID token, and by a personal access token where the route takes one. */
const everyRoute: Scenario[] = (Object.keys(routes) as RouteName[])
  .filter((name) => isServed(name))
  .flatMap((name) => [
    { name, prepare: (stage) => byOwner(stage, name, async (owner) => owner), ...repeated[name] },
    ...(routes[name].credential === "any"
      ? [{ name: `${name} by PAT`, prepare: (stage: TestStage) => byOwner(stage, name, usedToken), ...repeated[name] }]
      : []),
  ]);

/** What a route does in other states of its caller. */
const otherPaths: Scenario[] = [
  {
    name: "createSession that creates the account",
    prepare: async (stage) => signIn(stage, await actorsOf(stage).stranger(), "user"),
    secondAnswer: 200,
  },
  {
    name: "createSession that creates a developer",
    prepare: async (stage) => signIn(stage, await actorsOf(stage).stranger(), "dev"),
    secondAnswer: 200,
  },
  {
    name: "createSession that upgrades",
    prepare: async (stage) => signIn(stage, await actorsOf(stage).user(), "dev"),
  },
  {
    name: "createSession that changes the email address",
    prepare: async (stage) => {
      const { uid } = await actorsOf(stage).user();
      return signIn(stage, await actorsOf(stage).stranger({ sub: uid, email: `new-${uid}@example.test` }), "user");
    },
  },
  {
    name: "createToken narrowed to a project",
    prepare: (stage) =>
      byOwner(
        stage,
        "createToken",
        async (owner) => owner,
        (owner) => ({ projects: [owner.slug] }),
      ),
    hasTwoEffects: true,
  },
];

/** Every path through the service that reads or writes the table. */
export const scenarios: readonly Scenario[] = [...everyRoute, ...otherPaths];

/** The first use of a token is noted beside the operation, and may fail without it. */
export const firstUse: Scenario = {
  name: "getMe by a PAT that was never used",
  prepare: (stage) => byOwner(stage, "getMe", (owner) => owner.token()),
};

async function byOwner(
  stage: TestStage,
  name: RouteName,
  callerOf: (owner: Owner) => Promise<Actor>,
  more: (owner: Owner) => object = () => ({}),
): Promise<Prepared> {
  const owner = await withProject<Developer>(await actorsOf(stage).developer());
  const caller = await callerOf(owner);
  const { body, ...rest } = await operations[name](owner);
  const operation = body === undefined ? rest : { ...rest, body: { ...(body as object), ...more(owner) } };
  const slugs = [owner.slug, (body as { slug?: string } | undefined)?.slug ?? newSlug()];
  return { caller, operation, partitions: [accountPartition(stage, owner), ...slugs.map((slug) => `PROJECT#${slug}`)] };
}

async function usedToken(owner: Owner): Promise<Actor> {
  const token = await owner.token({ scopes: ["publish", "projects"] });
  await token.get("/me");
  return token;
}

function signIn(stage: TestStage, person: Person, role: "user" | "dev"): Prepared {
  const operation = { method: "POST", path: "/auth/session", body: { role } };
  return { caller: person, operation, partitions: [accountPartition(stage, person), `PROJECT#${randomUUID()}`] };
}

function accountPartition({ issuer }: TestStage, { uid }: Person): string {
  return `ACCOUNT#${accountKey(issuer, uid)}`;
}
