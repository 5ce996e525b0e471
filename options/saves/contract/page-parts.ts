/*
 * What the page that moves saved games has (options/saves/functions/saves-page.ts), and the one that only saves to a file (options/saves/cli/export-page.ts).
 */

export const pageStyle = `
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

/** The half of options/saves/page/saving.ts. */
export const saveSection = `<section aria-labelledby="save-title">
<h2 id="save-title">Save to a file</h2>
<p id="here"></p>
<details hidden><summary>What is in it</summary><ul id="here-list"></ul></details>
<button id="save" class="main" disabled>Save to a file</button>
</section>`;
