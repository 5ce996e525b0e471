import { startHttpServer } from "../../support/network/http-server.ts";

/** A page of another site that has games in frames, and an image that says nothing about who may load it. */
export interface Portal {
  /** A page with the game in a frame; `ask(path)` in it gives what the game loads from there. */
  around(game: string, options?: { readonly isIsolated?: boolean }): string;
  readonly image: string;
  stop(): Promise<void>;
}

const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

const page = (game: string) => `<!doctype html><link rel="icon" href="data:,">
<iframe onload="window.isFrameLoaded = true" allow="cross-origin-isolated" src="${game}"></iframe>
<script>
const heard = () => new Promise((resolve) => addEventListener("message", ({ data }) => resolve(data), { once: true }));
heard().then((data) => { window.done = data; });
window.ask = (path) => { const reply = heard(); frames[0].postMessage(path, "*"); return reply; };
</script>`;

export async function startPortal(): Promise<Portal> {
  const { endpoint: origin, stop } = await startHttpServer(({ url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://127.0.0.1");
    if (pathname === "/image.png") return void response.writeHead(200, { "content-type": "image/png" }).end(picture);
    const isolated = {
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
    };
    const headers = { "content-type": "text/html", ...(pathname === "/isolated" && isolated) };
    response.writeHead(200, headers).end(page(searchParams.get("game") ?? ""));
  });
  return {
    around: (game, { isIsolated = false } = {}) =>
      `${origin}/${isIsolated ? "isolated" : "open"}?game=${encodeURIComponent(game)}`,
    image: `${origin}/image.png`,
    stop,
  };
}
