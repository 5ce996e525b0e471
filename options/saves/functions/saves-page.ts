import type { PageText } from "../../../edge/pages/generated-pages.ts";
import { inlineSource, pageHeaders } from "../../../functions/origin/page-policy.ts";
import { pageStyle, saveSection } from "../contract/page-parts.ts";

/*
 * The page that moves a player's saved games (docs/decisions/0081-saves-that-travel.md). Its program is options/saves/page/main.ts, which
 * infra/bundle.ts puts into this function.
 */

/** The page's program, bundled. */
declare const SAVES_PAGE_SCRIPT: string;

/**
 * The page. Only its own program runs in it, which can connect to nowhere; no page may frame it, and none that opened it keeps a hold of it.
 */
export function savesPage(): PageText {
  return {
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>Saved games</title>
<style>${pageStyle}</style>
</head>
<body>
<noscript>This page needs JavaScript to read what a game has saved.</noscript>
<main id="main" hidden>
<h1>Saved games</h1>
<p>Take what this game has saved in this browser to another browser or device: save it to a file here, and load the file there. Nothing is sent
to anybody.</p>
<p><a href="/">To the game</a></p>
<p id="status" role="status"></p>
<section id="copy" hidden aria-labelledby="copy-title">
<h2 id="copy-title">What was here before</h2>
<p id="copy-text"></p>
<div class="buttons"><button id="put-back">Put it back</button><button id="keep">Keep what is here now</button></div>
</section>
${saveSection}
<section aria-labelledby="load-title">
<h2 id="load-title">Load from a file</h2>
<p>First close every other tab and window with this game: a game that goes on running may save over what you load.</p>
<label for="file">File with saved games</label>
<input id="file" type="file">
<div id="chosen" hidden>
<p id="chosen-text"></p>
<details hidden><summary>What is in it</summary><ul id="chosen-list"></ul></details>
<div id="other" class="warning" hidden><p id="other-text"></p>
<label><input id="agreed" type="checkbox"> It is the same game, and I saved this file myself.</label></div>
<p>It replaces everything that this game has saved here. A copy of that is kept until your next visit of this page, where you can put it back.</p>
<button id="load" class="main">Replace what is saved here</button>
</div>
</section>
</main>
<script type="module">${SAVES_PAGE_SCRIPT}</script>
</body>
</html>
`,
    headers: {
      ...pageHeaders([
        `script-src ${inlineSource(SAVES_PAGE_SCRIPT)}`,
        `style-src ${inlineSource(pageStyle)}`,
        "img-src data:",
      ]),
      "cross-origin-opener-policy": "same-origin",
      "x-robots-tag": "noindex",
    },
  };
}
