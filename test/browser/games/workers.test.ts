import { describe, expect, test } from "@jest/globals";
import { operate } from "../../../infra/operator/operator.ts";
import { type Folder, handOver, makeLive, publish } from "../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useService } from "../../support/service/suite.ts";
import { until } from "../until.ts";
import { type Player, playing, usePlayers } from "./players.ts";
import { precachedGame } from "./precached.ts";

const service = useService({});
useFunctionEnvironment(service);
const ada = useOwner(service);
const players = usePlayers();

const goLive = (folder: Folder) => publish(ada, ada.slug, folder);

const url = () => `http://${ada.slug}.${service.gamesDomain}/`;

const saved = 'localStorage.getItem("saved")';
const workers = "navigator.serviceWorker.getRegistrations().then((registrations) => registrations.length)";
const title = 'document.querySelector("h1").textContent';
/** The page that the worker gives to the next visit. */
const precached = `caches.keys().then(async (names) => {
  for (const name of names) for (const request of await (await caches.open(name)).keys())
    if (request.url.includes("/index.html")) return /<h1>(.*)<\\/h1>/.exec(await (await caches.match(request)).text())[1];
})`;

describe.each(players)("in %s, a game with a precaching service worker", (_, come) => {
  /** Opens the game, whose worker looks for a new one meanwhile, until it has `number` for the next visit. */
  const visit = async (player: Player, number: number) => {
    await player.open(url());
    const seen = await player.done();
    await until(player, precached, String(number));
    return seen;
  };
  /** The new worker may come before the page, or take it over before it has fetched everything, as on every host. */
  const expectPage = (seen: unknown, numbers: readonly number[]) =>
    expect(numbers.map((number) => ({ page: number, script: number }))).toContainEqual({
      page: (seen as { page: number }).page,
      script: (seen as { script: number }).script,
    });
  const whole = (number: number) => ({ page: number, script: number, level: number });

  test("updates with the visit after each release and a roll-back, and each visit is of one release", async () => {
    await playing(come, async (player) => {
      const ids = [await goLive(await precachedGame(1))];
      expect(await visit(player, 1)).toEqual(whole(1));
      for (const number of [2, 3, 4]) {
        ids.push(await goLive(await precachedGame(number)));
        expectPage(await visit(player, number), [number - 1, number]);
        await player.reload();
        expect(await player.done()).toEqual(whole(number));
        expect(await player.evaluate("window.loadLater()")).toEqual([number, number]);
      }
      expect((await makeLive(ada, ada.slug, ids[1] ?? "")).status).toBe(200);
      expectPage(await visit(player, 2), [4, 2]);
      await player.reload();
      expect(await player.done()).toEqual(whole(2));
      expect(await player.evaluate("window.loadLater()")).toEqual([2, 2]);
    });
  });

  test("that is open while its worker updates still finds its own chunk, and loads what has no hash from the new release", async () => {
    await playing(come, async (player) => {
      await goLive(await precachedGame(1));
      await visit(player, 1);
      await goLive(await precachedGame(2));
      await player.evaluate("navigator.serviceWorker.getRegistration().then((it) => it.update()).then(() => 1)");
      await until(player, precached, "2");
      expect(await player.evaluate("window.loadLater()")).toEqual([1, 2]);
    });
  });

  test("is unregistered, and the page reloads, with a release that has no worker; what was saved stays", async () => {
    await playing(come, async (player) => {
      await goLive(await precachedGame(1));
      await visit(player, 1);
      await player.evaluate('localStorage.setItem("saved", "1")');
      await goLive({ "index.html": "<!doctype html><h1>without</h1>", "404.html": "<h1>missing</h1>" });
      await player.open(url());
      await until(player, title, "without");
      await until(player, workers, 0);
      expect(await player.evaluate(saved)).toBe("1");
    });
  });

  test("does not reload again and again if the page goes on registering a worker that is gone", async () => {
    await playing(come, async (player) => {
      const { "sw.js": _worker, ...others } = await precachedGame(1);
      await goLive({
        "index.html": `<!doctype html><h1>0</h1><script>
localStorage.setItem("loads", 1 + Number(localStorage.getItem("loads") ?? 0));
window.liveAndDie = async () => {
  const { installing, waiting, active } = await navigator.serviceWorker.register("gone.js");
  const worker = installing ?? waiting ?? active;
  while (worker.state !== "redundant") await new Promise((resolve) => setTimeout(resolve, 20));
};
window.lived = window.liveAndDie();</script>`,
        ...(others["level.json"] && { "level.json": others["level.json"] }),
      });
      await player.open(url());
      await until(player, "window.lived.then(() => true)");
      // The first worker has finished its end before the second one's begins.
      await until(player, "window.liveAndDie().then(() => true)");
      expect(await player.evaluate('localStorage.getItem("loads")')).toBe("1");
      await until(player, workers, 0);
    });
  });

  test("that is taken down is unregistered, and everything that the browser kept of it is gone", async () => {
    await playing(come, async (player) => {
      await goLive(await precachedGame(1));
      await visit(player, 1);
      await player.evaluate('(localStorage.setItem("saved", "1"), document.cookie = "own=1")');
      await operate(["takedown", ada.slug, "--reason", "malware", "--without-games"], new Date());
      await player.open(url());
      await until(player, title, "This game is closed");
      const left = `Promise.all([${saved}, document.cookie, ${workers}, caches.keys()])`;
      await until(player, left, [null, "", 0, []]);
    });
  });

  test("that got another owner unregisters its worker and loses its data, once", async () => {
    await playing(come, async (player) => {
      await goLive(await precachedGame(1));
      await visit(player, 1);
      await player.evaluate('(localStorage.setItem("saved", "1"), document.cookie = "own=1")');
      const grace = await ada.otherDeveloper();
      expect((await handOver(ada, ada.slug, grace)).status).toBe(200);
      await publish(grace, ada.slug, { "index.html": "<!doctype html><h1>of Grace</h1>", "sw.js": "// of Grace" });
      await player.open(url());
      await until(player, title, "of Grace");
      await until(player, `Promise.all([${saved}, document.cookie, ${workers}])`, [null, "", 0]);
      await player.evaluate('localStorage.setItem("saved", "2")');
      await player.reload();
      expect(await player.evaluate(saved)).toBe("2");
    });
  });
});
