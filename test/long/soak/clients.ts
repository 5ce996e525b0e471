import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { limits } from "../../../contract/api/limits.ts";
import { type Actors, actorsOf, type Developer } from "../../support/service/actors.ts";
import type { CheckedResponse } from "../../support/service/checked-request.ts";
import type { TestService } from "../../support/service/service.ts";
import { manifestOf, newProject, openRelease } from "../../support/service/steps.ts";
import { checked, claim, expectStatus, timed } from "./calls.ts";
import {
  brokenByCreations,
  brokenByPublications,
  brokenByRevocation,
  brokenByUse,
  brokenByVisits,
  type Creation,
  type Publication,
  type TokenHistory,
  type Visit,
} from "./claims.ts";
import { deleteAndRestore, replaceWhileUsed } from "./endings.ts";
import { Measurements } from "./report.ts";

interface KnownToken extends TokenHistory {
  readonly id: string;
  readonly raw: string;
}

/** A developer whom several clients act for at the same time, and what they have seen together. */
export interface Account {
  readonly actors: Actors;
  readonly developer: Developer;
  readonly slug: string;
  readonly tokens: KnownToken[];
  readonly creations: Creation[];
  readonly publications: (Publication & { readonly publishedAt?: string })[];
  readonly visits: Visit[];
  /** The release that was live when a client last looked or published. */
  current: string | null;
}

/** Tokens that an account begins with, so that its limit is soon reached. */
const firstTokens = 45;

export async function newAccount(service: TestService): Promise<Account> {
  const actors = actorsOf(service);
  const developer = await actors.developer({ exp: Math.floor(Date.now() / 1_000) + 2 * 3_600 });
  const slug = await newProject(developer);
  const seen = { tokens: [], creations: [], publications: [], visits: [] };
  const account: Account = { actors, developer, slug, ...seen, current: null };
  for (let count = 0; count < firstTokens; count += 1) await createToken(account, new Measurements());
  return account;
}

/** Which claims about an account its responses break. */
export function brokenClaims({ tokens, creations, publications, visits }: Account): string[] {
  return [
    ...brokenByCreations(tokens, creations, limits.activeTokensPerAccount),
    ...brokenByPublications(publications),
    ...brokenByVisits(publications, visits),
  ];
}

type Step = (account: Account, measurements: Measurements) => Promise<void>;

/** What clients do, and how often they do each. */
const steps: readonly (readonly [number, Step])[] = [
  [40, useToken],
  [12, visit],
  [10, (account, measurements) => read(account, measurements, "GET /me", (a) => a.developer.get("/me"))],
  [
    6,
    (account, measurements) => read(account, measurements, "GET /tokens", (a) => a.developer.get("/tokens?limit=20")),
  ],
  [6, (account, measurements) => read(account, measurements, "GET /projects", (a) => a.developer.get("/projects"))],
  [
    4,
    (account, measurements) =>
      read(account, measurements, "GET /me/events", (a) => a.developer.get("/me/events?limit=20")),
  ],
  [
    4,
    (account, measurements) =>
      read(account, measurements, "GET /users/:uid", (a) => a.actors.anonymous.get(`/users/${a.developer.uid}`)),
  ],
  [
    4,
    (account, measurements) =>
      read(account, measurements, "PATCH /me", (a) => a.developer.patch("/me", { name: randomUUID() })),
  ],
  [7, createToken],
  [6, revokeToken],
  [3, publish],
  [1, signUp],
  [1, revokeWhilePublishing],
  [1, ({ actors }, measurements) => deleteAndRestore(actors, measurements)],
  [1, ({ actors }, measurements) => replaceWhileUsed(actors, measurements)],
];
const shares = steps.reduce((sum, [share]) => sum + share, 0);

/**
 * Does things, one after the other, until the time is over.
 *
 * @param isInTrouble whether something that began then may fail: with 503, or without a response
 */
export async function act(
  account: Account,
  measurements: Measurements,
  { until, isInTrouble }: { until: number; isInTrouble: (since: number) => boolean },
): Promise<void> {
  while (performance.now() < until) {
    const startedAt = performance.now();
    await anyStep()(account, measurements).catch(async (error: Error) => {
      if (!isInTrouble(startedAt) || !isOutage(error)) return measurements.errors.push(String(error.message));
      checked.outages += 1;
      // A client that is refused waits.
      return await delay(100);
    });
  }
}

function isOutage({ message }: Error): boolean {
  return !message.startsWith("BROKEN CLAIM") && /\b503\b|fetch failed|terminated/.test(message);
}

function anyStep(): Step {
  let rest = Math.random() * shares;
  for (const [share, step] of steps) {
    rest -= share;
    if (rest < 0) return step;
  }
  return useToken;
}

async function read(
  account: Account,
  measurements: Measurements,
  name: string,
  call: (account: Account) => Promise<CheckedResponse>,
) {
  expectStatus(await timed(measurements, name, () => call(account)), 200);
}

async function useToken({ actors, tokens }: Account, measurements: Measurements): Promise<void> {
  // The newest one, because most older ones are revoked.
  const token = tokens[tokens.length - 1 - Math.floor(Math.random() * Math.min(tokens.length, 150))];
  if (token === undefined || token.raw === "") return;
  const { status, span } = await timed(measurements, "GET /me by PAT", () => actors.bearer(token.raw).get("/me"));
  if (status === 503) throw new Error("GET /me by PAT responded with 503");
  if (token.revokedAt !== undefined && token.revokedAt < span.sentAt) checked.usesAfterRevocation += 1;
  claim(brokenByUse(token, span, status));
}

async function createToken({ developer, tokens, creations }: Account, measurements: Measurements): Promise<void> {
  const body = { name: "soak", scopes: ["publish"] };
  const sentAt = performance.now();
  const response = await timed(measurements, "POST /tokens", () => developer.post("/tokens", body))
    .then((received) => {
      // 429 from the thousandth creation of the day on.
      expectStatus(received, 201, 409, 429);
      return received;
    })
    .catch((error) => {
      // It may have been created all the same, but no client knows it, so it is never revoked.
      tokens.push({ id: "", raw: "", created: { sentAt, respondedAt: Infinity }, revocationSentAt: Infinity });
      throw error;
    });
  if (response.status === 409) checked.creationsAtTheLimit += 1;
  creations.push({ ...response.span, status: response.status });
  if (response.status === 201) tokens.push({ id: response.body.id, raw: response.body.token, created: response.span });
}

async function revokeToken({ actors, developer, tokens }: Account, measurements: Measurements): Promise<void> {
  // Includes those whose revocation had no response.
  const active = tokens.filter(({ raw, revokedAt }) => raw !== "" && revokedAt === undefined);
  const token = active[Math.floor(Math.random() * active.length)];
  if (token === undefined) return;
  token.revocationSentAt ??= performance.now();
  const response = await timed(measurements, "DELETE /tokens/:id", () => developer.delete(`/tokens/${token.id}`));
  expectStatus(response, 204);
  token.revokedAt ??= response.span.respondedAt;
  const next = await timed(measurements, "GET /me by PAT", () => actors.bearer(token.raw).get("/me"));
  if (next.status === 503) throw new Error("GET /me by PAT responded with 503");
  checked.usesAfterRevocation += 1;
  claim(brokenByUse(token, next.span, next.status));
}

/** Each page names its release's own content, so a visitor can tell which release it saw. */
async function publish(account: Account, measurements: Measurements): Promise<void> {
  const { developer, slug, publications } = account;
  const expected = account.current;
  const isRollback = publications.length > 5 && Math.random() < 0.3;
  const release = isRollback
    ? publications[Math.floor(Math.random() * publications.length)]?.release
    : await newRelease(account);
  if (release === undefined || release === expected) return;
  const path = `/projects/${slug}/releases/${release}/publish`;
  const sentAt = performance.now();
  const response = await timed(measurements, "POST …/publish", () => developer.post(path, { expect_current: expected }))
    .then((received) => {
      expectStatus(received, 200, 412);
      return received;
    })
    .catch((error) => {
      publications.push({ sentAt, respondedAt: Infinity, release, previous: expected, isUncertain: true });
      account.current = null;
      throw error;
    });
  if (response.status === 412) {
    checked.lostRaces += 1;
    account.current = await liveRelease(developer, slug);
    return;
  }
  account.current = release;
  const { previous_release: previous, release: published } = response.body;
  const { published_at: publishedAt } = published;
  // Another client has made it live already; then it stays live, whatever was expected.
  if (publications.some((known) => known.release === release && known.publishedAt === publishedAt)) return;
  if (isRollback && previous !== expected) return;
  checked.publications += 1;
  publications.push({ ...response.span, release, previous, publishedAt });
  claim(previous === expected ? undefined : `${release} expected ${expected} and followed ${previous}`);
}

async function liveRelease(developer: Developer, slug: string): Promise<string | null> {
  const response = await developer.get(`/projects/${slug}`);
  expectStatus(response, 200);
  return response.body.current_release?.id ?? null;
}

/** The release of each content that was ever sent: a visitor who sees a content sees its release. */
const releaseOf = new Map<string, string>();

async function newRelease({ developer, slug }: Account): Promise<string> {
  const folder = { "index.html": `<p>${randomUUID()}</p>` };
  const { body } = await openRelease(developer, slug, folder);
  for (const { sha256 } of manifestOf(folder)) releaseOf.set(sha256, body.release.id);
  return body.release.id;
}

async function visit({ actors, slug, publications, visits }: Account, measurements: Measurements): Promise<void> {
  const path = `/projects/${slug}/files/index.html`;
  const response = await timed(measurements, "GET …/files/*", () => actors.anonymous.get(path));
  // A first publication that had no response may not have happened.
  const isPublished = publications.some(({ respondedAt }) => respondedAt < response.span.sentAt);
  if (response.status === 404 && !isPublished) return;
  expectStatus(response, 200);
  checked.visits += 1;
  const release = releaseOf.get(String(response.headers.get("etag")).slice(1, -1));
  claim(release === undefined ? "a visitor saw what nobody published" : undefined);
  if (release !== undefined) visits.push({ ...response.span, release });
}

async function signUp({ actors }: Account, measurements: Measurements): Promise<void> {
  const stranger = await actors.stranger();
  const response = await timed(measurements, "POST /auth/session", () =>
    stranger.post("/auth/session", { role: "dev" }),
  );
  expectStatus(response, 201);
}

/** A developer of its own, because the account's tokens are counted. */
async function revokeWhilePublishing({ actors }: Account, measurements: Measurements): Promise<void> {
  const developer = await actors.developer();
  const slug = await newProject(developer);
  const token = await developer.token();
  const { body } = await openRelease(token, slug, { "index.html": slug });
  const release: string = body.release.id;
  const live = () => liveRelease(developer, slug);
  const publishing = timed(measurements, "POST …/publish by PAT", () =>
    token.post(`/projects/${slug}/releases/${release}/publish`),
  );
  // It is awaited below, unless the revocation fails first; then its own failure does not matter.
  publishing.catch(() => undefined);
  await delay(Math.random() * 20);
  expectStatus(await developer.delete(`/tokens/${token.id}`), 204);
  const liveAfterRevocation = await live();
  const { status } = await publishing;
  const liveAtEnd = await live();
  claim(liveAtEnd === liveAfterRevocation ? undefined : `${release} went live after its token was revoked`);
  if (status === 503) throw new Error("POST …/publish by PAT responded with 503");
  checked.revokedPublications += 1;
  claim(brokenByRevocation({ release, status, liveAfterRevocation, liveAtEnd }));
}
