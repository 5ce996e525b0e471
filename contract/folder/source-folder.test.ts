import { expect, test } from "@jest/globals";
import { sourceIn, wayToBuild } from "./source-folder.ts";

const vite = '<div id="root"></div><script type="module" src="/src/main.tsx"></script>';
const json = JSON.stringify({ scripts: { build: "vite build" } });

function of(files: Readonly<Record<string, string>>) {
  return sourceIn({
    paths: Object.keys(files),
    index: () => files["index.html"],
    packageJson: () => files["package.json"],
  });
}

test.each(["/src/main.ts", "/src/main.tsx", "./src/main.jsx", "src/App.vue", "/src/main.svelte", "/src/main.ts?v=1"])(
  "a page whose module script is %s is a source",
  (src) => {
    const files = {
      "index.html": `<script type="module" src="${src}"></script>`,
      [src.replace(/^\.?\/|\?.*/g, "")]: "",
    };
    expect(of(files)?.what).toBe(
      `has the source of a game, not its build: index.html loads ${src}, which browsers cannot run`,
    );
  },
);

test("a page whose inline script imports a source file is a source", () => {
  expect(
    of({ "index.html": '<script type=module>import App from "./App.jsx"</script>', "App.jsx": "" })?.what,
  ).toContain("index.html loads ./App.jsx");
});

test("a page without its own script is a source, and so is a folder without a page that has a build command", () => {
  expect(of({ "index.html": '<script src="bundle.js"></script>', "src/a.js": "" })?.what).toBe(
    "has an index.html without its script: bundle.js is not in the folder",
  );
  expect(of({ "package.json": json, "src/a.js": "" })?.what).toBe("has the source of a game, not its build");
});

test.each([
  [{ "index.html": "<h1>Game" }],
  [
    {
      "index.html": '<script type="module" src="assets/index-1.js"></script>',
      "assets/index-1.js": "",
      "src/a.ts": "",
    },
  ],
  [{ "index.html": '<script src="cordova.js"></script><script src="game.js"></script>', "game.js": "" }],
  [{ "index.html": '<script src="cordova.js"></script><script>start()</script>' }],
  [{ "index.html": '<script src="https://cdn.example/phaser.js"></script>' }],
  [{ "index.html": '<script type="text/babel" src="app.jsx"></script>', "app.jsx": "" }],
  [{ "index.html": `<!-- ${vite} --><script src="a.js"></script>`, "a.js": "" }],
  [{ "index.html": "1", "package.json": json }],
  [{ "index.html": '<script src="Game.js"></script>', "game.js": "" }],
  [{ "package.json": "{}" }],
  [{ "package.json": "no JSON" }],
])("%j is no source", (files) => {
  expect(of(files as Record<string, string>)).toBeUndefined();
});

test.each([
  [{ "dist/index.html": "", "package.json": json }, "Publish what the build wrote: dist/"],
  [{ "package.json": json }, "Build it first: npm run build. Then publish the folder that it writes."],
  [
    { "package.json": json, "pnpm-lock.yaml": "" },
    "Build it first: pnpm run build. Then publish the folder that it writes.",
  ],
  [
    { "package.json": json, "public/index.html": "" },
    "Build it first: npm run build. Then publish the folder that it writes.",
  ],
  [{}, "Build it first, then publish the folder that the build writes."],
])("beside a source are %j, so: %s", (others, way) => {
  const found = of({ "index.html": vite, ...others });
  expect(found && wayToBuild(found)).toBe(way);
});
