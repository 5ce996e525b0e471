import { globSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { beforeAll, expect, test } from "@jest/globals";
import type { Route } from "../../../contract/api/route.ts";
import { gatewayEvent, requestUrl } from "../../../local/gateway/event.ts";
import { matchRoute } from "../../../local/gateway/routes.ts";
import { githubClaims, githubPublisher, jobExchange, newRepository } from "../../support/identity/jobs.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { kebabCase, type RouteName, routes } from "../../support/routes.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { useJobIssuers } from "../../support/service/jobs.ts";
import { fieldsOf, isCopied, membersOf, type NotedFields, noteFields } from "../../support/service/noted-fields.ts";
import { type Operation, type Owner, operations, perform, withProject } from "../../support/service/operations.ts";
import { newProject, newSlug } from "../../support/service/steps.ts";
import { duringTests, useFunctionEnvironment, useService } from "../../support/service/suite.ts";

/*
 * A field that the contract accepts and no function reads would be dropped without a word. The functions run in this process, and their
 * parsed requests note what is read of them.
 */
const service = useService();
const issuers = useJobIssuers();
useFunctionEnvironment(service, () => ({
  ...issuers.env,
  IDP_AUDIENCE: service.audience,
  IDP_JWKS_URI: service.jwksUri,
  API_ORIGIN: server.endpoint,
  DASHBOARD_ORIGIN: "http://dashboard.localhost",
  GAMES_DOMAIN: "localhost",
}));

const server = duringTests(() =>
  startHttpServer(async (request, response) => {
    const url = requestUrl(request.url ?? "/") ?? { path: "/", query: "" };
    const route = matchRoute(request.method ?? "", url.path);
    const [file = ""] = globSync(`{functions,options/*}/handlers/${kebabCase(route?.name ?? "")}.ts`);
    const { handler } = await import(join(process.cwd(), file));
    const body = await buffer(request);
    const event = route && gatewayEvent({ request, url, route, body, requestId: "r1", now: new Date() });
    const result = await handler(event, { getRemainingTimeInMillis: () => 30_000 });
    response.writeHead(result.statusCode, result.headers).end(result.body);
  }),
);

const fieldsOfRoutes = new Map(
  Object.entries<Route>(routes)
    .map(([name, { body, query }]) => [name as RouteName, [...fieldsOf(body), ...fieldsOf(query)]] as const)
    .filter(([, fields]) => fields.length > 0),
);
const noted = new Map<RouteName, NotedFields>();
beforeAll(() => {
  for (const name of fieldsOfRoutes.keys()) noted.set(name, noteFields(routes[name], ["body", "query"]));
});

/** These have one value, or none that could change a response. */
const saysNothing: Partial<Record<RouteName, readonly string[]>> = {
  // serveForm() has read it before the form is parsed.
  requestDeviceCode: ["client_id"],
  exchangeGrant: ["client_id"],
  // There is one type of token (RFC 7009, section 2.1).
  revokeTokenByForm: ["client_id", "token_type_hint"],
  approveAuthorization: ["client_id", "code_challenge_method"],
};

const hash = (digit: string) => digit.repeat(64);
const content = (digit: string, size: number) => ({ size, sha256: hash(digit) });
const gitlabJobs = () => ({ provider: "gitlab", project_id: newRepository().id, namespace_id: "9970" });

const longFrame = {
  ...{ type: "long_frame", at: 1, duration: 90, blocking: 40 },
  scripts: [{ source: "game.js", function: "draw", invoker: "requestAnimationFrame", duration: 80 }],
};

type Change = (operation: Operation, owner: Owner) => Promise<Partial<Operation>> | Partial<Operation>;

/** Bodies with the fields that the usual request of a route lacks and a function reads only if they are there. */
const fuller: Partial<Record<string, Change>> = {
  updateMe: () => ({
    body: {
      name: "Ada B.",
      avatar: "https://a.example/a.png",
      display_name: "Studio",
      bio: "Games",
      release_mails: false,
    },
  }),
  updateProject: () => ({
    body: {
      name: "Game",
      description: "Of stars",
      picture: null,
      pictures: null,
      how_to_play: "Fly",
      show_provenance: true,
      refuse_tokens: true,
      person_makes_live: true,
      switched_off: ["reports"],
    },
  }),
  createProject: () => ({ body: { slug: newSlug(), name: "Game", description: "Of stars" } }),
  createInvitation: async (_, owner) => {
    const { uid } = await owner.otherDeveloper();
    return { body: { role: "viewer", to: uid, projects: [await newProject(owner)], future: true } };
  },
  createPublisher: () => ({ body: gitlabJobs() }),
  createPendingPublisher: ({ body }) => ({ body: { ...(body as object), publisher: gitlabJobs() } }),
  createRelease: () => ({
    body: {
      files: [
        {
          ...{ path: "index.html", ...content("1", 9_000), index: content("2", 20) },
          br: { ...content("3", 4_000), index: content("4", 20) },
          deltas: [{ dictionary: hash("5"), ...content("6", 100) }],
        },
      ],
      settings: {
        ...{ isolation: true, immutable: ["assets/**"], spa: true, frame: "nobody" },
        ...{ preload: ["index.html"], updates: "whole" },
      },
      source: { commit: "4f2a9c0", run_url: "https://ci.example/1" },
      choices: { left_out: ["notes/"], index: "story.html", picture: false, isolation_off: true },
    },
  }),
  continueUpload: ({ body }) => ({
    body: { ...(body as object), copies: [{ number: 1, sha256: hash("1"), offset: 0 }] },
  }),
  sendTelemetry: ({ body }) => ({
    body: { ...(body as object), first: 1, records: [longFrame] },
  }),
  exchangeGrant: async (_, owner) => {
    const repository = newRepository();
    await owner.post(`/projects/${owner.slug}/publishers`, githubPublisher(repository, issuers.github.issuer));
    const job = issuers.github.idToken({ claims: { aud: server.endpoint, ...githubClaims(repository) } });
    const form = { ...jobExchange(server.endpoint, owner.slug, job), owner: owner.uid, scope: "publish" };
    return { body: new URLSearchParams(form) };
  },
};

/** What shows the fields that are stored as they came, if it is not the response. */
const shownBy: Partial<Record<string, (owner: Owner) => Promise<unknown>>> = {
  sendTelemetry: async (owner) => {
    const path = `/projects/${owner.slug}/profiles`;
    const { profiles } = (await owner.get(path)).body;
    return (await owner.get(`${path}/${profiles[0].id}`)).body;
  },
};

test.each([...fieldsOfRoutes])("%s reads each field of its requests", async (name, fields) => {
  const owner = await withProject(await actorsOf({ api: server.endpoint, idToken: service.idToken }).developer());
  const reads = noted.get(name) as NotedFields;
  const usual = await operations[name](owner);
  const requests = [usual, ...(fuller[name] ? [{ ...usual, ...(await fuller[name](usual, owner)) }] : [])];
  const responses: unknown[] = [];
  for (const request of requests) {
    const { status, body } = await perform(owner, request);
    expect({ name, ok: status < 300, body }).toEqual({ name, ok: true, body });
    responses.push(body);
  }
  const isRead = (field: string) => reads.named.has(field) || isCopied(field, reads);
  expect(fields.filter((field) => !isRead(field))).toEqual(saysNothing[name] ?? []);
  // A manifest is stored as it came (functions/files/manifests.test.ts).
  const copied = fields.filter((field) => !reads.named.has(field) && !field.startsWith("files[]."));
  const names = new Set(copied.filter((field) => isCopied(field, reads)).map((field) => field.replace(/.*\./, "")));
  const sent = requests.flatMap(({ body }) => membersOf(body)).filter(([name]) => names.has(name));
  // Of the kinds of records each request has one.
  if (shownBy[name] === undefined) expect(new Set(sent.map(([name]) => name))).toEqual(names);
  const shown = membersOf([...responses, sent.length > 0 && (await shownBy[name]?.(owner))]);
  for (const member of sent) expect(shown).toContainEqual(member);
});
