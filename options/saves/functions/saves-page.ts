import type { ServiceOrigins } from "../../../edge/origin-request.ts";
import type { PageText } from "../../../edge/pages/generated-pages.ts";
import { inlineSource, pageHeaders } from "../../../functions/origin/page-policy.ts";
import { pageStyle, saveSection } from "../contract/page-parts.ts";

/*
 * The page that moves a player's saved games (docs/decisions/0081-saves-that-travel.md). Its program is options/saves/page/main.ts, which
 * infra/bundle.ts puts into this function.
 */

/** The page's program, bundled. */
declare const SAVES_PAGE_SCRIPT: string;

/** The section that sends by a link. */
const sendSection = `<section aria-labelledby="link-title">
<h2 id="link-title">Send to another device</h2>
<p>Makes a link and a QR code that work once, for an hour. Your saved games are locked before they leave this browser, and only the link has the key.</p>
<div id="sent" hidden>
<div id="qr"></div>
<label for="url">Link</label>
<input id="url" type="text" readonly spellcheck="false">
<p id="sent-text"></p>
<p><button id="copy-link">Copy the link</button></p>
</div>
<button id="link" class="main" disabled>Make a link</button>
</section>`;

/** Black on white, which cameras need, in the dark and in forced colours too. */
const style = `${pageStyle}
.qr { display: block; width: 15rem; max-width: 100%; margin: 0 0 0.75rem; border-radius: 0.625rem; background: #fff; fill: #000; forced-color-adjust: none; }
.warning { margin-bottom: 0.75rem; }
input[type="text"] { box-sizing: border-box; width: 100%; min-height: 2.75rem; margin: 0 0 0.75rem; padding: 0 0.75rem; border: 1px solid var(--line);
  border-radius: 0.625rem; background: transparent; color: inherit; font: inherit; }
`;

/**
 * The page. Only its own program runs in it, which can connect to the game's own host, where the API responds below the page's path, and to the store
 * of files; no page may frame it, and none that opened it keeps a hold of it.
 *
 * @param files the store's origin
 */
export function savesPage({ files }: Pick<ServiceOrigins, "files">): PageText {
  return {
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>Saved games</title>
<style>${style}</style>
</head>
<body>
<noscript>This page needs JavaScript to read what a game has saved.</noscript>
<main id="main" hidden>
<h1>Saved games</h1>
<p>Take what this game has saved in this browser to another browser or device, by a link or by a file.</p>
<p><a href="/">To the game</a></p>
<p id="status" role="status"></p>
<section id="copy" hidden aria-labelledby="copy-title">
<h2 id="copy-title">What was here before</h2>
<p id="copy-text"></p>
<div class="buttons"><button id="put-back">Put it back</button><button id="keep">Keep what is here now</button></div>
</section>
<section id="arrived" hidden aria-labelledby="arrived-title">
<h2 id="arrived-title">Saved games from another device</h2>
<p>You opened a link with saved games. It works once: get them on the device where you want to play. You see what they are before anything is replaced.</p>
<button id="take" class="main">Get them</button>
</section>
<section id="chosen" hidden aria-labelledby="chosen-title">
<h2 id="chosen-title" tabindex="-1">Replace what is saved here?</h2>
<p id="chosen-text"></p>
<details hidden><summary>What is in it</summary><ul id="chosen-list"></ul></details>
<p>First close every other tab and window with this game: a game that goes on running may save over what you load.</p>
<div id="other" class="warning" hidden><p id="other-text"></p>
<label><input id="agreed" type="checkbox"> <span id="agreed-text"></span></label></div>
<p>It replaces everything that this game has saved here. A copy of that is kept until your next visit of this page, where you can put it back.</p>
<button id="load" class="main">Replace what is saved here</button>
</section>
${sendSection}
${saveSection}
<section aria-labelledby="load-title">
<h2 id="load-title">Load from a file</h2>
<label for="file">File with saved games</label>
<input id="file" type="file">
</section>
</main>
<script type="module">${SAVES_PAGE_SCRIPT}</script>
</body>
</html>
`,
    headers: {
      ...pageHeaders([
        `script-src ${inlineSource(SAVES_PAGE_SCRIPT)}`,
        `style-src ${inlineSource(style)}`,
        "img-src data:",
        `connect-src 'self' ${files}`,
      ]),
      "cross-origin-opener-policy": "same-origin",
      "x-robots-tag": "noindex",
    },
  };
}
