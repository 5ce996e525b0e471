import { play } from "../../test/support/service/play.ts";
import { type Folder, newSlug, publish } from "../../test/support/service/steps.ts";
import {
  changeable,
  type Game,
  games,
  goLive,
  keptReleases,
  leavers,
  ok,
  oneOf,
  random,
  restoreDays,
  seed,
  type Today,
  tokens,
  uids,
} from "./model.ts";

function newFolder(): Folder {
  const page = `<p>${random()}</p>`;
  return { "index.html": page, "shared.txt": `shared ${Math.floor(random() * 3)}`, [`level-${random()}.bin`]: page };
}

/** Steps of the people of the model and the operator on a calm day. A step that is not possible now returns undefined. */
export const steps: Record<string, (today: Today) => Promise<unknown>> = {
  createProject: async ({ actorOf }) => {
    const uid = oneOf(uids) as string;
    if (games.filter((game) => game.uid === uid).length >= 4) return undefined;
    const slug = newSlug();
    await ok(actorOf(uid).post("/projects", { slug }));
    return games.push({ slug, uid, releases: [], isLive: false, isSuspended: false });
  },
  publish: async ({ actorOf }) => {
    const game = oneOf(changeable());
    if (game === undefined) return undefined;
    const folder = newFolder();
    return goLive(game, { id: await publish(actorOf(game.uid), game.slug, folder), folder });
  },
  rollBack: async ({ actorOf }) => {
    const game = oneOf(changeable().filter(({ releases }) => releases.length > 1));
    const release = game && oneOf(game.releases.slice(-keptReleases));
    if (game === undefined || release === undefined) return undefined;
    await ok(actorOf(game.uid).post(`/projects/${game.slug}/releases/${release.id}/publish`));
    return goLive(game, release);
  },
  withdraw: async ({ actorOf }) => {
    const game = oneOf(changeable().filter(({ releases }) => releases.length > 2));
    const release = game && oneOf(game.releases.slice(-keptReleases, -1));
    if (game === undefined || release === undefined) return undefined;
    const path = `/projects/${game.slug}/releases/${release.id}`;
    await ok(actorOf(game.uid).post(`${path}/withdraw`));
    // Releases that were swept before do not come back among the last ones.
    game.releases = game.releases.slice(-keptReleases).filter((other) => other !== release);
    const { status } = await actorOf(game.uid).post(`${path}/publish`);
    if (status !== 409) throw new Error(`seed ${seed}: a withdrawn release went live: ${status}`);
    return game;
  },
  unpublish: async ({ actorOf }) => {
    const game = oneOf(changeable().filter(({ isLive }) => isLive));
    if (game === undefined) return undefined;
    await ok(actorOf(game.uid).post(`/projects/${game.slug}/unpublish`));
    game.isLive = false;
    return game;
  },
  deleteProject: async ({ actorOf, day }) => {
    const game = oneOf(changeable());
    if (game === undefined || random() < 0.5) return undefined;
    await ok(actorOf(game.uid).delete(`/projects/${game.slug}`));
    game.deletedOn = day;
    return game;
  },
  restoreProject: async ({ actorOf, day }) => {
    const game = oneOf(games.filter(({ deletedOn }) => deletedOn !== undefined && day - deletedOn < restoreDays));
    if (game === undefined) return undefined;
    await ok(actorOf(game.uid).post(`/projects/${game.slug}/restore`));
    delete game.deletedOn;
    return game;
  },
  transferProject: async (today) => {
    const game = oneOf(changeable());
    const to = oneOf(uids.filter((uid) => uid !== game?.uid));
    if (game === undefined || to === undefined) return undefined;
    return await handOver(today, game, to);
  },
  suspendProject: async ({ operator }) => {
    const game = oneOf(changeable());
    if (game === undefined || random() < 0.5) return undefined;
    await operator(`suspend project ${game.slug} --reason copyright`);
    game.isSuspended = true;
    return game;
  },
  reinstateProject: async ({ operator }) => {
    const game = oneOf(games.filter(({ isSuspended }) => isSuspended));
    if (game === undefined) return undefined;
    await operator(`restore project ${game.slug}`);
    game.isSuspended = false;
    return game;
  },
  suspendAccountForAWhile: async ({ service, operator, actorOf }) => {
    const uid = oneOf(uids) as string;
    if (random() < 0.5) return undefined;
    await operator(`suspend account ${uid} --reason spam`);
    const { status } = await actorOf(uid).get("/projects");
    const live = games.find((game) => game.uid === uid && game.isLive && game.deletedOn === undefined);
    const visit = live && (await play(service, live.slug, { path: "/index.html" }));
    if (status !== 403 || visit?.status === 200) throw new Error(`seed ${seed}: a suspended account is served`);
    await operator(`restore account ${uid}`);
    return uid;
  },
  leave: async (today) => {
    const person = await today.actors.developer({ sub: `leaver-${leavers.length}-of-the-walk` });
    const { credential } = await person.token();
    const game: Game = { slug: newSlug(), uid: person.uid, releases: [], isLive: false, isSuspended: false };
    await ok(person.post("/projects", { slug: game.slug }));
    const folder = newFolder();
    goLive(game, { id: await publish(person, game.slug, folder), folder });
    await handOver({ ...today, actorOf: (uid) => (uid === person.uid ? person : today.actorOf(uid)) }, game, uids[0]);
    games.push(game);
    await ok(person.delete("/me"));
    return leavers.push({ uid: person.uid, raw: credential });
  },
  createToken: async ({ actorOf, day }) => {
    const uid = oneOf(uids) as string;
    const expires_in_days = 5 + Math.floor(random() * 15);
    const body = await ok(actorOf(uid).post("/tokens", { name: "walk", scopes: ["publish"], expires_in_days }));
    return tokens.push({ id: body.id, raw: body.token, uid, expiresOn: day + expires_in_days, isRevoked: false });
  },
  replaceToken: async ({ actorOf, day }) => {
    const token = oneOf(tokens.filter(({ expiresOn, isRevoked }) => !isRevoked && expiresOn > day));
    if (token === undefined) return undefined;
    const request = { overlap_hours: 48, expires_in_days: 10 };
    const body = await ok(actorOf(token.uid).post(`/tokens/${token.id}/replacement`, request));
    token.expiresOn = Math.min(token.expiresOn, day + 2);
    return tokens.push({ id: body.id, raw: body.token, uid: token.uid, expiresOn: day + 10, isRevoked: false });
  },
  revokeToken: async ({ actorOf, day }) => {
    const token = oneOf(tokens.filter(({ expiresOn, isRevoked }) => !isRevoked && expiresOn > day));
    if (token === undefined || random() < 0.5) return undefined;
    await ok(actorOf(token.uid).delete(`/tokens/${token.id}`));
    token.isRevoked = true;
    return token;
  },
};

async function handOver({ actorOf }: Pick<Today, "actorOf">, game: Game, to = ""): Promise<Game> {
  const path = `/projects/${game.slug}/invitations`;
  const { id } = await ok(actorOf(game.uid).post(path, { role: "owner", to }));
  await ok(actorOf(to).post(`${path}/${id}/acceptance`));
  game.uid = to;
  return game;
}
