import { readFileSync } from "node:fs";

/*
 * Builds that do not work as their makers think, each broken in one way that people have asked other hosts about, and what `svc check` says
 * of it.
 */

interface BrokenBuild {
  readonly name: string;
  readonly files: Readonly<Record<string, string | Buffer>>;
  /** Code of a problem, of a refusal, or words of a warning. */
  readonly says: string | RegExp;
  readonly onPhone?: true;
  readonly isEndless?: true;
}

const game = "<h1>Star Hopper</h1>";
const canvas = '<canvas id="game" width="320" height="200"></canvas>';
const drawing = 'document.querySelector("canvas").getContext("2d").fillRect(0, 0, 99, 99);';
const html = (body: string, head = "") =>
  `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">${head}<body>${body}`;
const script = (text: string) => `<script>${text}</script>`;
const module = (text: string) => `<script type="module">${text}</script>`;
const onePage = (body: string, head = "") => ({ "index.html": html(body, head) });

const icon = readFileSync("dashboard/apple-touch-icon.png");

export const brokenBuilds: readonly BrokenBuild[] = [
  // Files that are not there.
  {
    name: "a script that is not there",
    files: onePage(`${game}<script src="main.js"></script>`),
    says: "missing_file",
  },
  {
    name: "an image that a script loads",
    files: onePage(`${game}${script('new Image().src = "hero.png"')}`),
    says: "missing_file",
  },
  {
    name: "a style sheet that is not there",
    files: onePage(game, '<link rel="stylesheet" href="style.css">'),
    says: "missing_file",
  },
  {
    name: "WebAssembly that is not there",
    files: onePage(`${game}${script('fetch("game.wasm")')}`),
    says: "missing_file",
  },
  {
    name: "a sound that is not there",
    files: onePage(`${game}<audio src="theme.ogg" preload="auto"></audio>`),
    says: "missing_file",
  },
  {
    name: "a level that is loaded later",
    files: onePage(`${game}${script('setTimeout(() => fetch("level2.json"), 300)')}`),
    says: "missing_file",
  },
  {
    name: "a font that is not there",
    files: onePage(game, "<style>@font-face { font-family: F; src: url(f.woff2) } h1 { font-family: F }</style>"),
    says: "missing_file",
  },
  {
    name: "a worker that is not there",
    files: onePage(`${game}${script('new Worker("ai.js")')}`),
    says: "missing_file",
  },
  {
    name: "another case in a name",
    files: { ...onePage(`${game}${script('fetch("Level.json")')}`), "level.json": "{}" },
    says: "missing_file",
  },
  {
    name: "another case in a folder",
    files: { ...onePage(`${game}${script('fetch("Assets/a.json")')}`), "assets/a.json": "{}" },
    says: "missing_file",
  },
  {
    name: "a file in another folder",
    files: { ...onePage(`${game}${script('fetch("data/a.json")')}`), "assets/a.json": "{}" },
    says: "missing_file",
  },
  {
    name: "the path of another host",
    files: { ...onePage(`${canvas}<script src="/my-repo/main.js"></script>`), "main.js": drawing },
    says: "missing_file",
  },
  {
    name: "a folder that begins with a dot",
    files: { ...onePage(`${game}${script('fetch(".data/a.json")')}`), ".data/a.json": "{}" },
    says: "missing_file",
  },
  {
    name: "a module that imports what is not there",
    files: { ...onePage(`${canvas}<script type="module" src="a.js"></script>`), "a.js": 'import "./b.js";' },
    says: "missing_file",
  },
  // Files that are something else.
  {
    name: "WebAssembly that is a page",
    files: {
      ...onePage(`${game}${module('await WebAssembly.compileStreaming(fetch("a.wasm"))')}`),
      "a.wasm": "<!doctype html>",
    },
    says: "uncaught_error",
  },
  {
    name: "JSON that ends early",
    files: { ...onePage(`${game}${module('await (await fetch("a.json")).json()')}`), "a.json": '{"level": ' },
    says: "uncaught_error",
  },
  {
    name: "a pointer of Git LFS",
    files: {
      ...onePage(game),
      "hero.png": `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 12345\n`,
    },
    says: "lfs_pointers",
  },
  {
    name: "TypeScript as a script",
    files: { ...onePage(`${canvas}<script type="module" src="main.ts"></script>`), "main.ts": "const a: number = 1;" },
    says: /main\.ts|console_error/,
  },
  {
    name: "a source in place of a build",
    files: {
      ...onePage('<div id="app"></div><script type="module" src="/src/main.jsx"></script>'),
      "src/main.jsx": "<A />",
      "package.json": '{"scripts": {"build": "vite build"}}',
    },
    says: /build/,
  },
  { name: "a folder without a page", files: { "game.js": drawing }, says: "no_index_html" },
  {
    name: "an image that ends early",
    files: {
      ...onePage(`${game}${script('new Image().src = "a.png"')}`),
      "a.png": icon.subarray(0, icon.length / 2),
    },
    says: "broken_file",
  },
  // Other hosts.
  {
    name: "a library of another host",
    files: onePage(`${game}<script src="https://cdn.example/phaser.js"></script>`),
    says: "other_host",
  },
  {
    name: "an image over http",
    files: onePage(`${game}<img src="http://images.example/a.png">`),
    says: "insecure_host",
  },
  {
    name: "the server of a developer's machine",
    files: onePage(`${game}${script('fetch("http://localhost:3000/scores")')}`),
    says: "this_machine",
  },
  {
    name: "a file of a developer's disk",
    files: onePage(`${game}<img src="file:///C:/game/hero.png">`),
    says: /this_machine|console_error/,
  },
  // Pages on which nothing comes.
  { name: "a white page", files: onePage(""), says: "nothing_drawn" },
  {
    name: "a black page",
    files: onePage(`${canvas}<style>body, canvas { background: #000 }</style>`),
    says: "nothing_drawn",
  },
  {
    name: "a canvas without a size",
    files: onePage(
      `<canvas width="0" height="0"></canvas>${script('document.querySelector("canvas").getContext("2d").fillRect(0, 0, 9, 9)')}`,
    ),
    says: "nothing_drawn",
  },
  {
    name: "a loading screen for ever",
    files: onePage(`<p>Loading… <span>0</span> %</p>${script("new Promise(() => {})")}`),
    says: "stays_loading",
  },
  {
    name: "a script that never ends",
    files: onePage(script("while (true);")),
    says: "not_responding",
    isEndless: true,
  },
  {
    name: "a page that loads itself again",
    files: onePage(`${game}${script("location.reload()")}`),
    says: "reloads_endlessly",
  },
  {
    name: "a page that goes elsewhere",
    files: onePage(`${game}${script('location.href = "https://portal.example/"')}`),
    says: "leaves_the_page",
  },
  { name: "a dialog", files: onePage(`${script('alert("Debug")')}${game}`), says: "dialog" },
  // Scripts that fail.
  {
    name: "a script with an error of syntax",
    files: { ...onePage(`${game}<script src="a.js"></script>`), "a.js": "const = 1;" },
    says: "uncaught_error",
  },
  { name: "a name that nothing defines", files: onePage(`${game}${script("Phaser.start()")}`), says: "uncaught_error" },
  {
    name: "a package's name in an import",
    files: onePage(`${canvas}${module('import "three";')}`),
    says: "uncaught_error",
  },
  {
    name: "a worker that fails",
    files: { ...onePage(`${game}${script('new Worker("ai.js")')}`), "ai.js": 'throw new Error("No model");' },
    says: "uncaught_error",
  },
  {
    name: "a script that is not the one of its digest",
    files: {
      ...onePage(`${canvas}<script src="a.js" integrity="sha256-${"A".repeat(43)}="></script>`),
      "a.js": drawing,
    },
    says: "console_error",
  },
  {
    name: "an engine that fails on phones",
    files: onePage(`${game}${script('if (navigator.maxTouchPoints > 0) throw new Error("No mouse")')}`),
    says: "uncaught_error",
    onPhone: true,
  },
  {
    name: "a rule of the page against its own scripts",
    files: onePage(
      `${game}${script("start()")}`,
      `<meta http-equiv="content-security-policy" content="script-src 'none'">`,
    ),
    says: "console_error",
  },
];
