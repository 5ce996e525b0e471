import type { PageText } from "../../../edge/pages/generated-pages.ts";
import { inlineSource, pageHeaders } from "../../../functions/origin/page-policy.ts";

/*
 * The page that moves a player's saved games (docs/decisions/0081-saves-that-travel.md). Its program is options/saves/page/main.ts, which
 * infra/bundle.ts puts into this function.
 */

/** The page's program, bundled. */
declare const SAVES_PAGE_SCRIPT: string;

const style = `
:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif; background: light-dark(#f6f5f2, #131218); color: light-dark(#1b1a22, #f2f0f7);
  --accent: light-dark(#5538cf, #a899ff); --line: light-dark(#8a8791, #76727f); --card: light-dark(#fff, #1d1b24); }
body { margin: 0; }
main { max-width: 36rem; margin: 6vh auto; padding: 1.25rem; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 0.5rem; }
h2 { font-size: 1.125rem; line-height: 1.25; margin: 0 0 0.5rem; }
p { margin: 0 0 0.75rem; }
section { margin: 1rem 0; padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 0.875rem; }
[hidden] { display: none !important; }
a { color: var(--accent); }
#status { position: sticky; top: 0; min-height: 3em; margin: 1rem 0; padding: 0.5rem 0; font-weight: 600; background: light-dark(#f6f5f2, #131218); }
button, input[type="file"]::file-selector-button { min-height: 2.75rem; padding: 0 1.25rem; border: 1px solid var(--line); border-radius: 0.625rem;
  background: transparent; color: inherit; font: inherit; font-weight: 600; cursor: pointer; }
.main { background: var(--accent); color: light-dark(#fff, #000); border-color: transparent; }
button:disabled { opacity: 0.55; cursor: default; }
input[type="file"] { display: block; width: 100%; margin: 0.5rem 0 0.75rem; font: inherit; }
input[type="checkbox"] { inline-size: 1.25rem; block-size: 1.25rem; vertical-align: -0.2em; accent-color: var(--accent); }
.buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.warning { padding: 0.75rem; border: 2px solid currentColor; border-radius: 0.625rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
summary { cursor: pointer; min-height: 1.75rem; }
ul { margin: 0 0 0.75rem; padding-left: 1.25rem; }
details { margin-bottom: 0.75rem; }
`;

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
<style>${style}</style>
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
<section aria-labelledby="save-title">
<h2 id="save-title">Save to a file</h2>
<p id="here"></p>
<details hidden><summary>What is in it</summary><ul id="here-list"></ul></details>
<button id="save" class="main" disabled>Save to a file</button>
</section>
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
        `style-src ${inlineSource(style)}`,
        "img-src data:",
      ]),
      "cross-origin-opener-policy": "same-origin",
      "x-robots-tag": "noindex",
    },
  };
}
