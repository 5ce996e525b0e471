import type { ReleaseSettings } from "../../../contract/api/releases/release-settings.ts";
import { isolationHeaders } from "../../../edge/content/headers.ts";
import type { PageText } from "../../../edge/pages/generated-pages.ts";
import { escaped } from "../../../edge/pages/pages.ts";
import { inlineSource, pageHeaders } from "../../../functions/origin/page-policy.ts";

/*
 * The page that measures a game (docs/decisions/0072-telemetry-grants.md). Its program is options/profiles/page/main.ts, which infra/bundle.ts puts
 * into this function.
 */

/** The page's program, bundled. */
declare const PROFILES_PAGE_SCRIPT: string;

const style = `
:root { font: 14px/1.4 system-ui, sans-serif; color-scheme: dark; }
body { margin: 0; background: #000; overflow: hidden; }
iframe { position: fixed; inset: 0; width: 100%; height: 100%; border: 0; }
#overlay { position: fixed; top: 8px; right: 8px; display: flex; flex-wrap: wrap; gap: 6px; align-items: center; justify-content: end;
  max-width: min(26rem, calc(100% - 16px)); padding: 6px 8px; border-radius: 10px; background: rgb(0 0 0 / 0.8); color: #fff; }
#move { cursor: move; touch-action: none; }
#rate { min-width: 4em; font-variant-numeric: tabular-nums; }
#status { flex-basis: 100%; font-size: 12px; overflow-wrap: anywhere; }
#status:empty { display: none; }
button { font: inherit; min-width: 44px; min-height: 44px; padding: 0 12px; border: 1px solid #888; border-radius: 6px; background: #222; color: #fff; }
button:disabled { opacity: 0.5; }
`;

/**
 * The page for a game with these settings. Only its own program runs in it, it frames its own origin alone and sends to the API alone; no
 * page may frame it. It is isolated as the game is: else the game in its frame would not be.
 *
 * @param api the API's origin
 */
export function profilePage(settings: ReleaseSettings, api: string): PageText {
  return {
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="svc-api" content="${escaped(api)}">
<link rel="icon" href="data:,">
<title>Profile this game</title>
<style>${style}</style>
</head>
<body>
<main id="overlay" aria-label="Profile">
<button id="move" aria-label="Move this to the next corner, or drag it">⠿</button>
<span id="rate">0 fps</span>
<button id="start" disabled>Start</button>
<button id="stop" disabled>Stop</button>
<button id="mark" disabled>Mark</button>
<span id="status" role="status"></span>
</main>
<script type="module">${PROFILES_PAGE_SCRIPT}</script>
</body>
</html>
`,
    headers: {
      ...isolationHeaders(settings),
      ...pageHeaders([
        `script-src ${inlineSource(PROFILES_PAGE_SCRIPT)}`,
        `style-src ${inlineSource(style)}`,
        "img-src data:",
        "frame-src 'self'",
        `connect-src 'self' ${api}`,
      ]),
      "x-robots-tag": "noindex",
    },
  };
}
