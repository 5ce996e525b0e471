import { describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { embedCode, type FrameWishes } from "../../../contract/api/projects/embed-code.ts";
import type { ReleaseSettings } from "../../../contract/api/releases/release-settings.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { type Folder, handOver, makeLive, manifestOf, openRelease, publish } from "../../support/service/steps.ts";
import { duringTests, useOwner, useService } from "../../support/service/suite.ts";
import { launchChromium } from "../chromium.ts";
import { until } from "../until.ts";
import { type Player, playing, usePlayers } from "./players.ts";
import { startPortal } from "./portal.ts";

/* Games beside what is not theirs: in a frame on another site, with images of others, with settings that change responses. */

const service = useService();
/** Another site than every game: 127.0.0.1 instead of a name below localhost. */
const portal = duringTests(startPortal);
const ada = useOwner(service);
const players = usePlayers();
/** Another site too, with what a static host would have of the game now. */
let staticFolder: Folder = {};
const staticHost = duringTests(() =>
  startHttpServer(({ url: target = "" }, response) => {
    const bytes = staticFolder[target === "/" ? "index.html" : target.slice(1)];
    const headers = { "content-type": target === "/" ? "text/html" : "text/plain", "cache-control": "no-cache" };
    response.writeHead(bytes === undefined ? 404 : 200, headers).end(bytes ?? "none");
  }),
);

const url = () => `http://${ada.slug}.${service.gamesDomain}/`;

/** Publishes with settings. */
async function goLive(folder: Folder, settings: Partial<ReleaseSettings> = {}) {
  const { body } = await openRelease(ada, ada.slug, folder, manifestOf(folder), settings);
  expect((await makeLive(ada, ada.slug, body.release.id)).status).toBe(200);
}

const page = (script: string) =>
  `<!doctype html><link rel="icon" href="data:,"><script type="module">${script}</script>`;
/** Loads what the page around it requests. */
const framed = page(`
addEventListener("message", async ({ data, source, origin }) => {
  source.postMessage(await (await fetch(data)).text(), origin);
});
parent.postMessage({ isolated: crossOriginIsolated }, "*");`);

describe.each(players)("in %s, a game", (browser, come) => {
  const isWebKit = browser === "WebKit";

  // WebKitGTK keeps no cookie of a frame on another site, Safari does since 18.4.
  test("in a frame on another site keeps the release that it began with, or without a cookie finds what that alone has", async () => {
    const release = (number: number) => ({
      "index.html": framed,
      "level.json": String(number),
      "large.bin": String(number).repeat(300_000),
      [`chunk-${number}.json`]: `of ${number}`,
    });
    const loads = (player: Player) =>
      player.evaluate(`(async () => {
        const texts = [];
        for (const path of ["/level.json", "/large.bin", "/chunk-1.json"]) texts.push((await ask(path)).slice(0, 4));
        return texts;
      })()`);
    const openIn = async (player: Player, game: string) => {
      await player.open(portal.around(await player.urlOf(game)));
      await player.done();
    };
    await playing(come, async (player) => {
      staticFolder = release(1);
      await openIn(player, staticHost.endpoint);
      staticFolder = release(2);
      const theirs = await loads(player);
      await publish(ada, ada.slug, release(1));
      await openIn(player, url());
      expect(await loads(player)).toEqual(["1", "1111", "of 1"]);
      await goLive(release(2));
      // Nothing that WebKit sends names the release of the page. A host without releases has no more.
      const live = ["2", "2222", "of 1"];
      expect(await loads(player)).toEqual(isWebKit ? live : ["1", "1111", "of 1"]);
      expect(theirs).toEqual(["2", "2222", "none"]);
      await player.reload();
      await player.done();
      expect(await loads(player)).toEqual(live);
    });
  });

  const threaded = `${framed}<script>window.done = crossOriginIsolated</script>`;

  test("with isolation has threads in a frame of an isolated page, and alone", async () => {
    await goLive({ "index.html": threaded }, { isolation: true });
    await playing(come, async (player) => {
      await player.open(portal.around(await player.urlOf(url()), { isIsolated: true }));
      expect(await player.done()).toEqual({ isolated: true });
      await player.open(url());
      expect(await player.done()).toBe(true);
    });
  });

  test("with isolation credentialless has the same, except in WebKit, which does not know it", async () => {
    await goLive({ "index.html": threaded }, { isolation: "credentialless" });
    await playing(come, async (player) => {
      await player.open(portal.around(await player.urlOf(url()), { isIsolated: true }));
      await until(player, "window.isFrameLoaded");
      if (isWebKit) expect(await player.evaluate("window.done ?? null")).toBeNull();
      else expect(await player.done()).toEqual({ isolated: true });
      await player.open(url());
      expect(await player.done()).toBe(!isWebKit);
    });
  });

  test("that nobody may frame opens alone and in a frame of its own, and in none of another site", async () => {
    const outer = page("window.done = new Promise((done) => addEventListener('message', () => done('framed')));");
    const files = { "index.html": framed, "outer.html": `${outer}<iframe src="/"></iframe>` };
    await goLive(files, { frame: "nobody" });
    await playing(come, async (player) => {
      await player.open(new URL("/outer.html", url()).href);
      expect(await player.done()).toBe("framed");
      await player.open(portal.around(await player.urlOf(url())));
      await until(player, "window.isFrameLoaded");
      expect(await player.evaluate("window.done ?? null")).toBeNull();
    });
  });

  test("with isolation loads an image of a site that says nothing about it only without credentials", async () => {
    const image = page(`
const image = new Image();
image.onload = () => { window.done = "loaded"; };
image.onerror = () => { window.done = "refused"; };
image.src = "${portal.image}";`);
    await playing(come, async (player) => {
      await goLive({ "index.html": image }, { isolation: true });
      await player.open(url());
      expect(await player.done()).toBe("refused");
      await goLive({ "index.html": image }, { isolation: "credentialless" });
      await player.open(url());
      expect(await player.done()).toBe("loaded");
    });
  });
});

/** Stores what the page around it sends, and says what was stored before. */
const storing = page(`
addEventListener("message", ({ data, source, origin }) => {
  source.postMessage(localStorage.getItem("saved"), origin);
  localStorage.setItem("saved", data);
});
parent.postMessage("ready", "*");`);

// Chromium's private windows, in which its tests are, let no frame of another site store anything.
const storers = players.filter(([browser]) => browser !== "Chromium");
if (storers.length > 0)
  test.each(storers)(
    "in a frame in %s, a game that got another owner loses what was stored once, or without a cookie each time",
    async (browser, come) => {
      await goLive({ "index.html": storing });
      await playing(come, async (player) => {
        const around = portal.around(await player.urlOf(url()));
        const store = async (text: string) => {
          await player.open(around);
          await player.done();
          return await player.evaluate(`ask(${JSON.stringify(text)})`);
        };
        expect([await store("of Ada"), await store("of Ada too")]).toEqual([null, "of Ada"]);
        const grace = await ada.otherDeveloper();
        expect((await handOver(ada, ada.slug, grace)).status).toBe(200);
        await publish(grace, ada.slug, { "index.html": storing, "a.txt": "of Grace" });
        const seen = [await store("of Grace"), await store("of Grace too")];
        expect(seen).toEqual([null, browser === "WebKit" ? null : "of Grace"]);
      });
    },
  );

describe("the embed code", () => {
  const listening = page(`
const said = (text) => parent.postMessage(text, "*");
addEventListener("keydown", ({ key }) => said(key));
addEventListener("mousedown", (event) => { if (new URLSearchParams(location.search).has("keep")) event.preventDefault(); });
said(document.featurePolicy ? document.featurePolicy.allowedFeatures().filter((one) => ["gyroscope", "midi", "gamepad"].includes(one)).sort().join() : "none");`);
  const wished = async (wishes: FrameWishes, use: (shown: Page) => Promise<void>, query = "") => {
    await goLive({ "index.html": listening });
    const code = embedCode(url() + query, "Star", wishes);
    const site = await startHttpServer((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html><html lang=en><title>Portal</title>
<meta name="viewport" content="width=device-width"><script>window.heard = []; addEventListener("message", ({ data }) => heard.push(data));</script>
<body>${code}<p style="height: 200vh">Below`),
    );
    const browser = await launchChromium();
    try {
      const shown = await browser.newPage({ viewport: { width: 390, height: 800 } });
      await shown.goto(site.endpoint);
      await until(shown, "heard.length > 0");
      await use(shown);
    } finally {
      await Promise.all([browser.close(), site.stop()]);
    }
  };
  const keyIsHeard = (shown: Page) => until(shown, 'heard.includes("ArrowDown")');
  const scrolled = (shown: Page) => until(shown, "scrollY > 0");

  test("makes a frame as wide as its place, of its shape, without border, with the permissions that were chosen", async () => {
    await wished({ shape: "4:3", features: ["midi"] }, async (shown) => {
      const box = await shown.evaluate<{ width: number; height: number; border: string }>(`(() => {
        const frame = document.querySelector("iframe");
        return { width: frame.clientWidth, height: frame.clientHeight, border: getComputedStyle(frame).borderTopWidth };
      })()`);
      expect(box).toEqual({ width: 374, height: expect.any(Number), border: "0px" });
      expect(box.height / box.width).toBeCloseTo(3 / 4, 2);
      expect(await shown.evaluate("heard[0]")).toBe("gamepad,midi");
    });
  });

  test("gives the game the keyboard at the first click, and until then the portal scrolls", async () => {
    await wished({}, async (shown) => {
      await shown.keyboard.press("ArrowDown");
      await scrolled(shown);
      await shown.evaluate("scrollTo(0, 0)");
      await shown.locator("iframe").click();
      await shown.keyboard.press("ArrowDown");
      await keyIsHeard(shown);
    });
  });

  test("gives the game the keyboard from the start, if that was chosen", async () => {
    await wished({ hasKeyboard: true }, async (shown) => {
      await shown.keyboard.press("ArrowDown");
      await keyIsHeard(shown);
    });
  });

  test("cannot give it to a game that refuses the focus of a click", async () => {
    const query = "?keep";
    await wished(
      {},
      async (shown) => {
        await shown.locator("iframe").click();
        await shown.keyboard.press("ArrowDown");
        await scrolled(shown);
      },
      query,
    );
  });
});
