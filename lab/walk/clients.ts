import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { ManifestFile } from "../../contract/api/releases/manifest-rules.ts";
import { type Actors, actorsOf, type Developer } from "../../test/support/service/actors.ts";
import type { TestService } from "../../test/support/service/service.ts";
import { manifestOf, newProject, openRelease, sha256 } from "../../test/support/service/steps.ts";
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
import { checked, claim, expectStatus, Measurements } from "./measurements.ts";
import { deleteAndRestore, replaceWhileUsed, visitGame } from "./rare-steps.ts";

interface KnownToken extends TokenHistory {
  readonly id: string;
  readonly raw: string;
}

/** A developer for whom several clients act at the same time, and what they have seen together. */
export interface Account {
  readonly service: TestService;
  readonly actors: Actors;
  readonly developer: Developer;
  readonly slug: string;
  /** A project whose releases are opened and never go live: they only take room in the account. */
  readonly otherSlug: string;
  readonly tokens: KnownToken[];
  readonly creations: Creation[];
  readonly publications: (Publication & { readonly publishedAt?: string })[];
  readonly visits: Visit[];
  /** The release that was live when a client last looked or published. */
  current: string | null;
}

/** Tokens that an account starts with, so that its limit is soon reached. */
const firstTokens = 48;

export async function newAccount(service: TestService): Promise<Account> {
  const actors = actorsOf(service);
  const developer = await actors.developer();
  const [slug, otherSlug] = [await newProject(developer), await newProject(developer)];
  const seen = { tokens: [], creations: [], publications: [], visits: [] };
  const account: Account = { service, actors, developer, slug, otherSlug, ...seen, current: null };
  for (let count = 0; count < firstTokens; count += 1) await createToken(account, new Measurements());
  return account;
}

const activeTokens = 50;

/** Claims about an account that its responses break. */
export function brokenClaims({ tokens, creations, publications, visits }: Account): string[] {
  return [
    ...brokenByCreations(tokens, creations, activeTokens),
    ...brokenByPublications(publications),
    ...brokenByVisits(publications, visits),
  ];
}

type Step = (account: Account, measurements: Measurements) => Promise<void>;

const reads: readonly (readonly [number, string, (developer: Developer) => string])[] = [
  [10, "GET /me", () => "/me"],
  [6, "GET /tokens", () => "/tokens?limit=20"],
  [6, "GET /projects", () => "/projects"],
  [4, "GET /me/events", () => "/me/events?limit=20"],
  [4, "GET /users/:uid", ({ uid }) => `/users/${uid}`],
];

/** Steps of clients, and how often they do each. */
const steps: readonly (readonly [number, Step])[] = [
  ...reads.map(([share, name, pathOf]): [number, Step] => [
    share,
    async ({ developer }, measurements) =>
      expectStatus(await measurements.timed(name, () => developer.get(pathOf(developer))), 200),
  ]),
  [4, changeName],
  [40, useToken],
  [12, visit],
  [7, createToken],
  [6, revokeToken],
  [3, publish],
  [3, openElsewhere],
  [1, signUp],
  [1, revokeWhilePublishing],
  [1, ({ service }, measurements) => deleteAndRestore(service, measurements)],
  [1, ({ actors }, measurements) => replaceWhileUsed(actors, measurements)],
];
const shares = steps.reduce((sum, [share]) => sum + share, 0);

/**
 * Does one step after the other until the time is over: each once, from any of them on, then at random.
 *
 * @param isInTrouble whether a request that was sent then may fail: with 503, or without a response
 */
export async function act(
  account: Account,
  measurements: Measurements,
  { until, isInTrouble }: { until: number; isInTrouble: (since: number) => boolean },
): Promise<void> {
  const first = Math.floor(Math.random() * steps.length);
  for (let count = 0; performance.now() < until; count += 1) {
    const startedAt = performance.now();
    const step = count < steps.length ? steps[(first + count) % steps.length]?.[1] : undefined;
    await (step ?? anyStep())(account, measurements).catch(async (error: Error) => {
      if (!isInTrouble(startedAt) || !isOutage(error)) {
        measurements.errors.push(error.message);
        return;
      }
      checked.outages += 1;
      // A client that is refused waits.
      await delay(100);
    });
  }
}

function isOutage({ message }: Error): boolean {
  return !message.startsWith("BROKEN CLAIM") && /\b50[03]\b|fetch failed|terminated|The store responded/.test(message);
}

function anyStep(): Step {
  let rest = Math.random() * shares;
  for (const [share, step] of steps) {
    rest -= share;
    if (rest < 0) return step;
  }
  return useToken;
}

async function changeName({ developer }: Account, measurements: Measurements): Promise<void> {
  const name = randomUUID();
  expectStatus(await measurements.timed("PATCH /me", () => developer.patch("/me", { name })), 200);
}

async function useToken({ actors, tokens }: Account, measurements: Measurements): Promise<void> {
  // The newest one, because most older ones are revoked.
  const token = tokens[tokens.length - 1 - Math.floor(Math.random() * Math.min(tokens.length, 150))];
  if (token === undefined || token.raw === "") return;
  const { status, span } = await measurements.timed("GET /me by PAT", () => actors.bearer(token.raw).get("/me"));
  if (status === 503) throw new Error("GET /me by PAT responded with 503");
  if (token.revokedAt !== undefined && token.revokedAt < span.sentAt) checked.usesAfterRevocation += 1;
  claim(brokenByUse(token, span, status));
}

async function createToken({ developer, tokens, creations }: Account, measurements: Measurements): Promise<void> {
  const body = { name: "walk", scopes: ["publish"] };
  const sentAt = performance.now();
  const response = await measurements
    .timed("POST /tokens", () => developer.post("/tokens", body))
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
  const response = await measurements.timed("DELETE /tokens/:id", () => developer.delete(`/tokens/${token.id}`));
  expectStatus(response, 204);
  token.revokedAt ??= response.span.respondedAt;
  const next = await measurements.timed("GET /me by PAT", () => actors.bearer(token.raw).get("/me"));
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
  // Without room the release that is live stays.
  if (release === undefined || release === expected) return;
  const path = `/projects/${slug}/releases/${release}/publish`;
  const sentAt = performance.now();
  const response = await measurements
    .timed("POST …/publish", () => developer.post(path, { expect_current: expected }))
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

/** Files of this length fill the quota of a project with two releases, so a slow machine fills some too. */
const fileBytes = 14_000;

/** @returns undefined if the quota has no room for it */
async function newRelease({ developer, slug }: Account): Promise<string | undefined> {
  const folder = { "index.html": `<p>${randomUUID()}</p>`.padEnd(fileBytes) };
  const files = manifestOf(folder);
  if (await hasNoRoom(developer, slug, files)) return undefined;
  const { body } = await openRelease(developer, slug, folder);
  for (const { sha256 } of files) releaseOf.set(sha256, body.release.id);
  return body.release.id;
}

/** Opens a release, or finds out that the quota of the project or of the account has no room for it. */
async function hasNoRoom(developer: Developer, slug: string, files: readonly ManifestFile[]): Promise<boolean> {
  const response = await developer.post(`/projects/${slug}/releases`, { files });
  if (response.status === 409 && response.body.code === "quota_exceeded") {
    checked.fullQuotas += 1;
    return true;
  }
  expectStatus(response, 200, 201);
  return false;
}

/** Takes room in the account for as long as a release is open whose file is never uploaded. */
async function openElsewhere({ developer, otherSlug }: Account): Promise<void> {
  await hasNoRoom(developer, otherSlug, manifestOf({ "index.html": randomUUID().padEnd(fileBytes) }));
}

async function visit({ service, slug, publications, visits }: Account, measurements: Measurements): Promise<void> {
  const response = await measurements.timed("GET of the game's page", () => visitGame(service, slug));
  // A first publication that had no response may not have happened.
  const isPublished = publications.some(({ respondedAt }) => respondedAt < response.span.sentAt);
  if (response.status === 404 && !isPublished) return;
  expectStatus(response, 200);
  checked.visits += 1;
  const release = releaseOf.get(sha256(response.body));
  claim(release === undefined ? "a visitor saw what nobody published" : undefined);
  if (release !== undefined) visits.push({ ...response.span, release });
}

async function signUp({ actors }: Account, measurements: Measurements): Promise<void> {
  const stranger = await actors.stranger();
  const response = await measurements.timed("POST /auth/session", () =>
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
  const publishing = measurements.timed("POST …/publish by PAT", () =>
    token.post(`/projects/${slug}/releases/${release}/publish`),
  );
  // It is awaited below, unless the revocation fails first; then its own failure does not matter.
  publishing.catch(() => undefined);
  await delay(Math.random() * 20);
  expectStatus(await developer.delete(`/tokens/${token.id}`), 204);
  const liveAfterRevocation = await live();
  const { status } = await publishing;
  const liveAfterBoth = await live();
  claim(liveAfterBoth === liveAfterRevocation ? undefined : `${release} went live after its token was revoked`);
  if (status === 503) throw new Error("POST …/publish by PAT responded with 503");
  checked.revokedPublications += 1;
  claim(brokenByRevocation({ release, status, liveAfterRevocation, liveAfterBoth }));
}
