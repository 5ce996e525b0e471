import { expect, test } from "@jest/globals";
import { adviceInWords } from "./advice.ts";
import { adviceFor, isScript, makesSharedMemory } from "./build-advice.ts";

/** The advice for a folder, given the texts of its files. */
function adviceOf(texts: Readonly<Record<string, string>>, settings: Partial<Parameters<typeof adviceFor>[1]> = {}) {
  const paths = Object.keys(texts);
  const build = {
    paths,
    index: () => texts["index.html"],
    sharedMemory: () => paths.find((path) => isScript(path) && makesSharedMemory(texts[path] ?? "")),
  };
  const advice = adviceFor(build, { isolation: false, immutable: [], preload: [], ...settings });
  return advice.map((one) => adviceInWords(one));
}

/** The advice for empty files of these paths. */
const adviceOfPaths = (...paths: string[]) => adviceOf(Object.fromEntries(paths.map((path) => [path, ""])));

test("a file that is to be loaded with the page is in the folder", () => {
  expect(adviceOf({ "index.html": "", "a.wasm": "" }, { preload: ["a.wasm", "b.wasm"] })).toEqual([
    "preload names b.wasm, which is not in the folder, so it is not loaded with the page.",
  ]);
});

test("what is loaded without https is named", () => {
  const page =
    '<script src="http://cdn.example/a.js"></script><link rel="stylesheet" href="http://cdn.example/a.css"><link rel="canonical" href="http://game.example/">' +
    '<iframe src=http://ads.example/></iframe><script src="http://localhost:8000/b.js"></script><a href="http://b.example/">b</a><img src="http://c.example/c.png">';
  expect(adviceOf({ "index.html": page })).toEqual(
    ["http://cdn.example/a.js", "http://cdn.example/a.css", "http://ads.example/"].map(
      (url) => `index.html loads ${url}, which browsers block, because it is not https: write https:// instead.`,
    ),
  );
});

test("a good build has no advice", () => {
  expect(adviceOf({ "index.html": '<script src="./game.js"></script>', "game.js": "1", "assets/x.js": "1" })).toEqual(
    [],
  );
});

test.each([
  ["game.js makes shared memory", { "game.js": "new  SharedArrayBuffer(1)" }],
  ["game.mjs makes shared memory", { "game.mjs": "new WebAssembly.Memory({initial:n,maximum:m,shared: true})" }],
  ["a.JS makes shared memory", { "a.JS": "new WebAssembly.Memory({initial:n,maximum:m,shared :!0})" }],
  ["play.htm makes shared memory", { "play.htm": 'GODOT_CONFIG = {"ensureCrossOriginIsolationHeaders" : true}' }],
  ["index.html makes shared memory", { "index.html": "config = {ensureCrossOriginIsolationHeaders:true}" }],
  [
    "a/game.worker.js belongs to a build with threads",
    { "a/game.worker.js": "1", "a/game.wasm": "1", "a.js": "new SharedArrayBuffer(1)" },
  ],
  ["g.worker.mjs belongs to a build with threads", { "g.worker.mjs": "1", "g.wasm.br": "1" }],
])("without isolation, and with one that Safari does not know, it says that %s", (found, texts) => {
  expect(adviceOf(texts)).toEqual([`${found}, so the game may need isolation = true in svc.toml.`]);
  expect(adviceOf(texts, { isolation: "credentialless" })).toEqual([
    `${found}, and isolation = "credentialless" isolates nothing in Safari and Firefox for Android: only isolation = true in svc.toml starts threads there.`,
  ]);
});

test.each([
  { "game.js": 'if (typeof SharedArrayBuffer !== "undefined") threads = true;' },
  { "game.js": "renewSharedArrayBuffer" },
  { "game.js": "newSharedArrayBuffer" },
  { "game.js": "new SharedArrayBufferPool()" },
  { "game.js": "new WebAssembly.Memory({initial:1,maximum:1,shared:!0})" },
  { "game.js": "{unshared:true}" },
  { "game.js": "{shared:trueish}" },
  { "notes.txt": "new SharedArrayBuffer(1)" },
  { "a.js.map": "new SharedArrayBuffer(1)" },
  { "game.worker.js.map": "" },
  { "a/.worker.js": "" },
  // sql.js-httpvfs and PDF.js.
  { "sqlite.worker.js": "", "sql-wasm.wasm": "" },
  { "pdf.worker.js": "", "pdf.js": "" },
])("of %j nobody needs isolation", (texts) => {
  expect(adviceOf(texts)).toEqual([]);
});

test.each([
  ['<script src="js/game.js"></script>', "js/game.js, which is not in the folder."],
  ["<script src='js/game.js'></script>", "js/game.js, which is not in the folder."],
  ['<SCRIPT defer SRC = "/main.js?v=1"></SCRIPT>', "/main.js?v=1, which is not in the folder."],
  ['<img src="Hero.PNG">', "Hero.PNG, but the file is named hero.png: upper and lower case differ."],
  ['<a href="levels/">', "levels/, which is not in the folder."],
])("a page with %j refers to %s", (body, advice) => {
  expect(adviceOf({ "index.html": body + body, "hero.png": "1" })).toEqual([`index.html refers to ${advice}`]);
});

test.each([
  '<a href="level/">',
  '<a href="level">',
  '<a href="far/level/">',
  '<a href="/">',
  '<a href="">',
  '<a href="#top">',
  '<a href="?level=2">',
  '<a href="https://example.test/x.js">',
  '<a href="MAILTO:ada@example.test">',
  '<link href="//cdn.example/x.css">',
  '<img src="data:,">',
  '<img src="{{ logo }}">',
  '<img src="%">',
  '<!-- <img src="old.png"> -->',
  '<!--\n<img src="old.png">\n-->',
  '<script>a.innerHTML = "<img src=\'" + name + "\'>"</script>',
  '<script>\nconst a = `<img src="old.png">`;\n</script>',
  '<img data-src="old.png">',
  '<p>src="old.png"',
])("a page with %j refers to nothing that is missing", (body) => {
  expect(adviceOf({ "index.html": body, "level/index.html": "", "far/level/index.html": "" })).toEqual([]);
});

test("a page that is not in UTF-8 is named, and one that is cut within a character is not", () => {
  const advice = ["index.html is not in UTF-8, as which it is sent, so players see other letters: save it as UTF-8."];
  expect(adviceOf({ "index.html": "<p>gr\ufffd\ufffde</p>" })).toEqual(advice);
  expect(adviceOf({ "index.html": "<p>größe\ufffd" })).toEqual([]);
  expect(adviceOf({ "index.html": "\ufffd\ufffd<\0p\0>\0" })).toEqual([]);
});

test("the same file with different compression is named", () => {
  const twice = "are the same file with different compression: remove those that the build does not use.";
  expect(adviceOfPaths("Build/g.wasm", "Build/g.wasm.gz", "Build/g.data.gz", "Build/g.data.br", "Build/g.js")).toEqual([
    `Build/g.wasm and Build/g.wasm.gz ${twice}`,
    `Build/g.data.gz and Build/g.data.br ${twice}`,
  ]);
  expect(adviceOfPaths("web/Build/g.wasm", "web/Build/g.wasm.br")).toEqual([
    `web/Build/g.wasm and web/Build/g.wasm.br ${twice}`,
  ]);
  expect(adviceOfPaths("g.wasm", "g.wasm.br", "MyBuild/g.wasm", "MyBuild/g.wasm.gz")).toEqual([]);
});

test("files that configure other hosts are named", () => {
  const others = ["netlify.toml", "vercel.json", "firebase.json"];
  expect(adviceOfPaths(...others, "data/firebase.json", "firebase.json.md", "my-vercel.json")).toEqual([
    "Published as files only, because they configure other hosts: netlify.toml, vercel.json, firebase.json. svc.toml has the settings here.",
  ]);
});

test("a folder of names by content could be kept by browsers", () => {
  const built = ["index.html", "assets/index-DkA3x9b2.js", "assets/index.BkZ9fl1c.css", "assets/logo.png"];
  const advice = [
    'File names such as assets/index-DkA3x9b2.js contain hashes: with immutable = ["assets/**"] in svc.toml browsers cache such files for a year.',
  ];
  expect(adviceOfPaths(...built, "js/level-one.js")).toEqual(advice);
  expect(adviceOfPaths("js/level-one.js", ...built)).toEqual(advice);
  expect(adviceOfPaths(...built, "assets/index-DkA3x9b2.js.map", "assets/main.js.map")).toEqual(advice);
  expect(adviceOfPaths(...built, "assets/main.js")).toEqual([]);
  expect(adviceOfPaths(...built, "assets/deep/main.wasm")).toEqual([]);
  const texts = Object.fromEntries(built.map((path) => [path, ""]));
  expect(adviceOf(texts, { immutable: ["assets/**"] })).toEqual([]);
});

test.each([
  "a/b-Dk3x9b2.js",
  "a/level-12345678.json",
  "index-DkA3x9b2.js",
  "a/-DkA3x9b2.js",
  "a/index-DkAxxbbb.js",
  "a/b-DkA3x9b2.js.min.js",
])("%s is not named by its content", (path) => {
  expect(adviceOfPaths(path)).toEqual([]);
});
