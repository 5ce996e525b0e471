import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { escaped } from "../../../edge/pages/pages.ts";
import { pageStyle, saveSection } from "../contract/page-parts.ts";

/** What `cli/build.ts` bundles of options/saves/page/export.ts, beside the bundle of the command line. */
const scriptsFile = join(import.meta.dirname, "page-scripts.json");

/**
 * The page for the place that a game moves from: it saves what the game keeps there to a file, and leads to the page that loads it. All that it needs is in
 * it. Its policy is in the page, because nobody knows which headers that place sends: it may run its own program alone, which can send nothing. It may be in
 * a frame, as the game is on many sites.
 *
 * @param savesPage URL of the page that loads the file
 * @param only parts of the names of what the game saves; none: everything at that origin
 */
export async function exportPage(savesPage: URL, only: readonly string[]): Promise<string> {
  const { saves: script } = JSON.parse(await readFile(scriptsFile, "utf8")) as Partial<Record<string, string>>;
  if (script === undefined) throw new Error(`${scriptsFile} has no program of this page`);
  const policy = [
    ...["default-src 'none'", `script-src ${inlineSource(script)}`, `style-src ${inlineSource(pageStyle)}`],
    ...["img-src data:", "base-uri 'none'", "form-action 'none'"],
  ].join("; ");
  const [host, url] = [escaped(savesPage.host), escaped(savesPage.href)];
  const [content, whose] =
    only.length > 0
      ? ["what this game has saved at", "in this browser"]
      : ["everything that", "keeps in this browser, of other games there too"];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="svc-only" content="${escaped(JSON.stringify(only))}">
<link rel="icon" href="data:,">
<title>Take your saved games with you</title>
<style>${pageStyle}</style>
</head>
<body>
<main id="main">
<h1>Take your saved games with you</h1>
<p>This game is now at ${host}. Its saved games do not move there by themselves: save them to a file here, and load the file there. Nothing is sent to
anybody. The file has ${content} <span id="host">this site</span> ${whose}.</p>
<p><a href="index.html">To the game</a></p>
<p id="status" role="status">This page needs JavaScript to read what a game has saved.</p>
${saveSection}
<section aria-labelledby="load-title">
<h2 id="load-title">Load it at ${host}</h2>
<p>Open <a href="${url}" target="_blank" rel="noopener noreferrer">${url}</a>, choose the file there, and confirm that it is the same game.</p>
</section>
</main>
<script type="module">${script}</script>
</body>
</html>
`;
}

/** The source of a directive that allows this inline script or style (CSP Level 3, section 2.3.1). */
function inlineSource(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
