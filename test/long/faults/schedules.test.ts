import { expect, test } from "@jest/globals";
import { randomNumbers } from "../../support/random.ts";
import { actorsOf, type Developer, type Person } from "../../support/service/actors.ts";
import { addMember } from "../../support/service/operations.ts";
import { publishScheduledAt } from "../../support/service/scheduled.ts";
import { makeLive, minutesAhead, newProject, publish, readyRelease } from "../../support/service/steps.ts";
import { useEmptiedService, useFunctionEnvironment } from "../../support/service/suite.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import { everyItem } from "../../support/table/stored.ts";

/*
 * A thousand schedules at random, against roll-backs, publications, deletions, removals and revocations, by a clock that is moved. A model
 * says which releases go live, when, and why the others do not.
 */
const service = useEmptiedService();
useFunctionEnvironment(service);
const actors = actorsOf(service);

const projectCount = 40;
/** 25 are a thousand schedules, which take minutes. */
const rounds = Number(process.env["ROUNDS"] ?? 3);
const minute = 60_000;
const seed = Number(process.env["SEED"] ?? 20_261_129);
const random = randomNumbers(seed);
const chance = (share: number) => random() < share;
const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;

interface Game {
  readonly slug: string;
  readonly releases: string[];
}

/** A schedule, and what the model knows of it. */
interface Trial {
  readonly game: Game;
  readonly id: string;
  at: number;
  readonly by: "owner" | "token" | "member";
  readonly despite: boolean;
  /** When it was published before: a round of before has moved the clock too. */
  readonly publishedBefore: string | null;
  readonly tokenId: string;
  /** When each act happens; some happen while the job runs. */
  readonly acts: { readonly act: Act; readonly time: number; readonly isRace: boolean; isDone?: true }[];
  /** The acts that took the right from who scheduled it. */
  readonly lost: Set<Act>;
  /** Whether any release of the game is live: what is offline is not taken offline. */
  isAnyLive: boolean;
  /** Undefined while it is scheduled. */
  outcome?: "live" | "ended" | "either";
  wentLiveAt?: number;
}

const acts = {
  "roll back": (trial: Trial) => other(trial, "earlier"),
  publish: (trial: Trial) => other(trial, "new"),
  "take offline": ({ game }: Trial) => ada.post(path(game, "unpublish")),
  "delete the release": ({ game, id }: Trial) => ada.post(path(game, `releases/${id}/withdraw`)),
  "make it live": ({ game, id }: Trial) => makeLive(ada, game.slug, id),
  cancel: ({ game, id }: Trial) => ada.delete(path(game, `releases/${id}/schedule`)),
  revoke: ({ tokenId }: Trial) => ada.delete(`/tokens/${tokenId}`),
  "remove the member": ({ game }: Trial) => removeGrace(game),
  "refuse tokens": ({ game }: Trial) => ada.patch(`/projects/${game.slug}`, { refuse_tokens: true }),
  "demand a person": ({ game }: Trial) => ada.patch(`/projects/${game.slug}`, { person_makes_live: true }),
  reschedule: async (trial: Trial) => schedule(trial, trial.at),
} as const;
type Act = keyof typeof acts;

let ada: Developer;
let grace: Developer;
const path = ({ slug }: Game, rest: string) => `/projects/${slug}/${rest}`;

async function other({ game, id }: Trial, kind: "earlier" | "new") {
  if (kind === "new") return await makeLive(ada, game.slug, await newRelease(game));
  const { releases } = (await ada.get(path(game, "releases"))).body;
  const earlier = (releases as Listed[]).filter((release) => release.status === "published" && release.id !== id);
  expect(earlier).not.toEqual([]);
  return await makeLive(ada, game.slug, pick(earlier).id);
}

interface Listed {
  readonly id: string;
  readonly status: string;
}

async function newRelease(game: Game): Promise<string> {
  const id = await readyRelease(ada, game.slug, String(random()));
  game.releases.push(id);
  return id;
}

async function removeGrace(game: Game) {
  const { members } = (await ada.get(path(game, "members"))).body;
  const found = members.find(({ user }: { user: { uid: string } }) => user.uid === grace.uid);
  return found && (await ada.delete(path(game, `members/${found.id}`)));
}

async function schedule({ game, id, by, despite, tokenId }: Trial, at: number) {
  const caller = by === "owner" ? ada : by === "member" ? grace : (tokens.get(tokenId) ?? ada);
  const body = { at: new Date(at).toISOString(), despite_changes: despite };
  return await caller.post(path(game, `releases/${id}/schedule`), body);
}

const tokens = new Map<string, Pick<Person, "post">>();

/** How an act changes the model, if it happens before the release is live. */
function foresee(trial: Trial, act: Act): void {
  const { by, despite, lost } = trial;
  if (trial.outcome !== undefined || (act === "take offline" && !trial.isAnyLive)) return;
  if (act === "publish" && despite) {
    trial.isAnyLive = true;
    return;
  }
  if (act === "revoke" || act === "refuse tokens") {
    if (by === "token") lost.add(act);
  } else if (act === "remove the member") {
    if (by === "member") lost.add(act);
  } else if (act === "demand a person") lost.add(act);
  else if (act === "reschedule") {
    // A person has just signed in.
    if (by !== "token" && !lost.has("remove the member")) lost.delete("demand a person");
  } else trial.outcome = "ended";
}

async function newTrial(game: Game, begin: number): Promise<Trial> {
  const live = (await ada.get(`/projects/${game.slug}`)).body.current_release?.id;
  const earlier = game.releases.filter((id) => id !== live);
  // Two that were live stay, so that there is always one to go back to.
  const id = chance(0.5) || earlier.length < 3 ? await newRelease(game) : pick(earlier.slice(2));
  const publishedBefore = (await ada.get(path(game, `releases/${id}`))).body.published_at;
  const by = pick(["owner", "token", "member"] as const);
  const token = by === "token" ? await ada.token() : undefined;
  if (token) tokens.set(token.id, token);
  const at = begin + Math.floor(random() * 10) * minute;
  const wanted = Array.from({ length: pick([0, 0, 1, 1, 2]) }, () => {
    const act = pick(Object.keys(acts) as Act[]);
    return { act, time: begin + (random() * 12 - 1) * minute, isRace: act !== "reschedule" && chance(0.1) };
  });
  const trial = {
    game,
    id,
    at,
    by,
    publishedBefore,
    despite: chance(0.3),
    tokenId: token?.id ?? "none",
    lost: new Set<Act>(),
    isAnyLive: live !== undefined,
  };
  return { ...trial, acts: wanted.toSorted((a, b) => a.time - b.time) };
}

/** What the job does to a trial at a time, by the model. */
function foreseeRun(trial: Trial, now: number): void {
  if (trial.outcome !== undefined || trial.at > now) return;
  const isLive = trial.lost.size === 0 && now - trial.at <= minute;
  trial.outcome = isLive ? "live" : "ended";
  if (isLive) trial.wentLiveAt = now;
}

/** Once a release went live by itself, it is not published again: the time of that is what is looked at. */
function isPossible({ outcome }: Trial, act: Act): boolean {
  return outcome === undefined || (act !== "reschedule" && act !== "make it live");
}

/** One run, now and then two at once, and the acts that happen at the same moment. */
async function runAt(now: number, trials: readonly Trial[]): Promise<void> {
  const date = new Date(now);
  const racing = trials.flatMap((trial) =>
    trial.acts
      .filter(({ act, time, isRace, isDone }) => isRace && time <= now && !isDone && isPossible(trial, act))
      .map((one) => ({ trial, one })),
  );
  for (const { trial, one } of racing) {
    one.isDone = true;
    // Either comes first.
    if (trial.outcome === undefined && trial.at <= now) trial.outcome = "either";
    else foresee(trial, one.act);
  }
  for (const trial of trials) foreseeRun(trial, now);
  const runs = chance(0.3) ? [date, date] : [date];
  const [results] = await Promise.all([
    Promise.all(runs.map(publishScheduledAt)),
    Promise.all(racing.map(({ trial, one }) => acts[one.act](trial))),
  ]);
  expect(results.flatMap(({ failures }) => failures)).toEqual([]);
}

/** Lets a round of schedules pass, minute by minute. */
async function passRound(trials: readonly Trial[], begin: number): Promise<void> {
  let now = begin - minute;
  while (trials.some(({ outcome }) => outcome === undefined)) {
    // Now and then no run happens for minutes.
    const next = now + (chance(0.1) ? 4 * minute : Math.floor((0.8 + random() * 0.2) * minute));
    for (const trial of trials)
      for (const one of trial.acts.filter(({ time, isRace, isDone }) => time <= next && !isRace && !isDone)) {
        one.isDone = true;
        if (!isPossible(trial, one.act)) continue;
        foresee(trial, one.act);
        await acts[one.act](trial);
      }
    now = next;
    await runAt(now, trials);
  }
}

/** The project takes part in the next round as it did in this one. */
async function tidyUp({ game, tokenId, acts: done }: Trial): Promise<void> {
  const names = done.map(({ act }) => act);
  if (names.includes("refuse tokens") || names.includes("demand a person"))
    await ada.patch(`/projects/${game.slug}`, { refuse_tokens: false, person_makes_live: false });
  if (names.includes("remove the member")) {
    await removeGrace(game);
    await addMember(ada, game.slug, grace, "publisher");
  }
  await ada.delete(`/tokens/${tokenId}`);
  const { releases } = (await ada.get(path(game, "releases"))).body;
  const usable = (releases as Listed[]).filter(({ status }) => status !== "withdrawn").map(({ id }) => id);
  game.releases.splice(0, game.releases.length, ...game.releases.filter((id) => usable.includes(id)));
}

/** Who has just signed in, for the projects where a person makes live. */
async function signInAgain(): Promise<void> {
  const now = Math.floor(Date.now() / 1_000);
  Object.assign(ada, await actors.stranger({ sub: ada.uid, auth_time: now }));
  Object.assign(grace, await actors.stranger({ sub: grace.uid, auth_time: now }));
}

const patienceMilliseconds = 900_000;

test(
  `of ${projectCount * rounds} schedules none is early, none a minute late, none by a right that ended (seed ${seed})`,
  async () => {
    ada = await actors.developer();
    grace = await ada.otherDeveloper();
    const games: Game[] = [];
    for (let index = 0; index < projectCount; index += 1) {
      const slug = await newProject(ada);
      await addMember(ada, slug, grace, "publisher");
      const releases: string[] = [];
      for (const page of ["1", "2", "3"]) releases.push(await publish(ada, slug, { "index.html": page + slug }));
      games.push({ slug, releases });
    }
    const counts: Record<string, number> = {};
    for (let round = 0; round < rounds; round += 1) {
      await signInAgain();
      // So far ahead of the clock that what goes live by itself is told from what a request makes live.
      const begin = Date.parse(minutesAhead(60));
      // One after the other: all are counted for one account.
      const trials: Trial[] = [];
      for (const game of games) trials.push(await newTrial(game, begin));
      for (const trial of trials) expect(await schedule(trial, trial.at)).toMatchObject({ status: 200 });
      await passRound(trials, begin);
      for (const trial of trials) {
        const { status, body } = await ada.get(path(trial.game, `releases/${trial.id}`));
        const isPublished = status === 200 && body.published_at !== trial.publishedBefore;
        const publishedAt = isPublished ? Date.parse(body.published_at) : 0;
        const wentLiveAt = publishedAt > begin - minute ? publishedAt : undefined;
        const { outcome = "none" } = trial;
        counts[outcome] = (counts[outcome] ?? 0) + 1;
        const late = wentLiveAt === undefined ? 0 : wentLiveAt - trial.at;
        expect({ trial, isInTime: late >= 0 && late <= minute }).toMatchObject({ isInTime: true });
        if (outcome !== "either") expect({ trial, wentLiveAt }).toMatchObject({ wentLiveAt: trial.wentLiveAt });
        expect(body.schedule ?? null).toBeNull();
      }
      for (const trial of trials) await tidyUp(trial);
    }
    // Neither is rare, so that the model is tried.
    expect(counts["live"]).toBeGreaterThan(projectCount * rounds * 0.2);
    expect(counts["ended"]).toBeGreaterThan(projectCount * rounds * 0.2);
    expect(brokenInvariants(await everyItem(service))).toEqual([]);
  },
  patienceMilliseconds,
);
