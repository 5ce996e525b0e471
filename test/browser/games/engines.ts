import { cpSync } from "node:fs";
import { join } from "node:path";
import { fetchedPackage, gameLibraries, type Package, pyodideFiles } from "../../support/fetched-package.ts";
import { type Build, page, writeAll } from "./build.ts";

/*
 * Engines, and programs for browsers that games are made of, as npm has them, each with a game of a few lines. `npm test -- --config lab/play/jest.config.js`
 * plays them beside the games of builds.ts and exports.ts: they are the ones that people asked other hosts about.
 */

interface Engine extends Package, Pick<Build, "settings" | "does" | "complains" | "notIn"> {
  /** Files and folders of the package, each at its own place beside the page. */
  readonly files: Readonly<Record<string, string>>;
  /** An element of the page that loads the engine, if the script does not. */
  readonly head?: string;
  /** A module that calls `finish`. */
  readonly script: string;
  readonly more?: Readonly<Record<string, string | Buffer>>;
}

function built(name: string, engine: Engine): Build {
  const { files, head = "", script, more = {}, specification, integrity, ...others } = engine;
  return {
    name,
    isLarge: true,
    ...others,
    write(folder) {
      const source = fetchedPackage({ specification, integrity });
      for (const [target, path] of Object.entries(files))
        cpSync(join(source, path), join(folder, target), { recursive: true });
      const body = `<canvas id="game" width="320" height="200"></canvas>${head}<script type="module" src="game.js"></script>`;
      writeAll(folder, { "index.html": page(body), "game.js": script, ...more });
    },
  };
}

/** The colour in the middle of a drawn frame: orange. */
const isOrange = `const isOrange = ([red, green, blue]) => red > 200 && green > 90 && green < 180 && blue < 60;
const middle = (canvas) => {
  const context = new OffscreenCanvas(320, 200).getContext("2d");
  context.drawImage(canvas, 0, 0, 320, 200);
  return context.getImageData(160, 100, 1, 1).data;
};`;

const drawn: readonly Build[] = [
  built("babylon", {
    specification: "babylonjs@9.35.0",
    integrity: "sha512-RiJFpxzRx3r32kTU5fotyt4VGTCEukDbUPqHyn/7Fuoh3RjeuDeS90YZu/y6gIZmIJp8IAACT07AG93/chynpA==",
    files: { "babylon.js": "babylon.js" },
    head: '<script src="babylon.js"></script>',
    does: { isDrawn: true },
    script: `${isOrange}
const engine = new BABYLON.Engine(document.querySelector("canvas"), false, { preserveDrawingBuffer: true });
const scene = new BABYLON.Scene(engine);
new BABYLON.FreeCamera("camera", new BABYLON.Vector3(0, 0, -2), scene);
const material = new BABYLON.StandardMaterial("material", scene);
material.emissiveColor = new BABYLON.Color3(1, 0.5, 0);
BABYLON.MeshBuilder.CreateBox("box", { size: 1 }, scene).material = material;
scene.executeWhenReady(() => {
  scene.render();
  window.finish({ isDrawn: isOrange(middle(engine.getRenderingCanvas())) });
});`,
  }),
  built("pixi", {
    specification: "pixi.js@8.22.0",
    integrity: "sha512-QbTANHMZ751MIjLiLSUSM8a7LNMWwMIf0KbRCqlW+SPS9hNLfSVS+cl1O2SEp9g1K/wyLzj/OJHv+1TUfiPr/w==",
    files: { "pixi.js": "dist/pixi.min.mjs" },
    does: { isDrawn: true },
    script: `import { Application, Graphics } from "./pixi.js";
${isOrange}
const app = new Application();
await app.init({ canvas: document.querySelector("canvas"), width: 320, height: 200, preference: "webgl" });
app.stage.addChild(new Graphics().rect(0, 0, 320, 200).fill(0xff8000));
let frames = 0;
app.ticker.add(() => {
  frames += 1;
  if (frames === 5) window.finish({ isDrawn: isOrange(app.renderer.extract.pixels(app.stage).pixels) });
});`,
  }),
  built("playcanvas", {
    specification: "playcanvas@2.23.3",
    integrity: "sha512-hjDdo5yFtVr/WmDh59pRrT1LC+Rfpq4VXB8Xt3AMB8GfWXj9JzOMq3x+3FTmq/2L2gN37q9V1LMZaLuYshzMXQ==",
    files: { "playcanvas.js": "build/playcanvas.min.mjs" },
    does: { isDrawn: true },
    script: `import { Application, Color, Entity } from "./playcanvas.js";
${isOrange}
const app = new Application(document.querySelector("canvas"), { graphicsDeviceOptions: { preserveDrawingBuffer: true } });
app.start();
const camera = new Entity("camera");
camera.addComponent("camera", { clearColor: new Color(1, 0.5, 0) });
app.root.addChild(camera);
let frames = 0;
app.on("frameend", () => {
  frames += 1;
  if (frames === 5) window.finish({ isDrawn: isOrange(middle(app.graphicsDevice.canvas)) });
});`,
  }),
  built("excalibur", {
    specification: "excalibur@0.32.0",
    integrity: "sha512-anCvsZK2Dh3BTlw/ERHr3fvfqF2vdJHw88soCs3r6EIwxbhibNRILMZw3Ae6GMTY8FkzRfkGLyk7DlEZVesUaw==",
    files: { "excalibur.js": "build/esm/excalibur.min.js" },
    does: { hasMoved: true },
    script: `import { Actor, Color, Engine, vec } from "./excalibur.js";
const game = new Engine({ canvasElementId: "game", width: 320, height: 200, suppressPlayButton: true, suppressConsoleBootMessage: true });
const actor = new Actor({ x: 20, y: 20, width: 20, height: 20, color: Color.Orange, vel: vec(100, 0) });
game.add(actor);
let frames = 0;
game.on("postframe", () => {
  frames += 1;
  if (frames === 10) window.finish({ hasMoved: actor.pos.x > 20 });
});
game.start();`,
  }),
  built("melonjs", {
    specification: "melonjs@20.7.0",
    integrity: "sha512-XbhK2V+v5O/iV8gsZ2Gpg1oeCyxa7dzJsEEP4yCW6qttWVHp6V7GSQrhOz61k58Uw52Ns3UgVmAOH1xn/bVxqA==",
    files: { "melonjs.js": "build/index.js" },
    does: { isDrawn: true },
    script: `${isOrange}
import { Application, ColorLayer, event } from "./melonjs.js";
const app = new Application(320, 200, { parent: document.body });
await app.init();
app.world.addChild(new ColorLayer("background", "#ff8000"));
let frames = 0;
event.on(event.GAME_AFTER_DRAW, () => {
  frames += 1;
  if (frames === 5) window.finish({ isDrawn: isOrange(middle(app.renderer.getCanvas())) });
});`,
  }),
  built("kaplay", {
    specification: "kaplay@3001.0.19",
    integrity: "sha512-T8GdXGXvgv/vbYVA1lcHzuDNVhp3juOJJE8OZs0vR5MdGNElBvANEeTSnqAAhJpSXtNxpeNy29pqkok3RnXKtg==",
    files: { "kaplay.js": "dist/kaplay.mjs" },
    does: { hasMoved: true },
    script: `import kaplay from "./kaplay.js";
const game = kaplay({ width: 320, height: 200, global: false });
const box = game.add([game.rect(20, 20), game.pos(20, 20), game.color(255, 128, 0), game.move(0, 100)]);
let frames = 0;
game.onUpdate(() => {
  frames += 1;
  if (frames === 10) window.finish({ hasMoved: box.pos.x > 20 });
});`,
  }),
  built("littlejs", {
    specification: "littlejsengine@1.20.0",
    integrity: "sha512-oLnl3nYCumcGlQoyfmEU9+osfAPyAE4axMRQ6+SGqY0PNnNRU6ssVW3Qtwot8S56cSIRCppLQMQPXfEJLQX9Tw==",
    files: { "littlejs.js": "dist/littlejs.esm.min.js" },
    does: { isUpdated: true },
    script: `import { drawRect, engineInit, rgb, setShowSplashScreen, vec2 } from "./littlejs.js";
setShowSplashScreen(false);
let frames = 0;
const update = () => {
  frames += 1;
  if (frames === 10) window.finish({ isUpdated: true });
};
engineInit(() => {}, update, () => {}, () => drawRect(vec2(0, 0), vec2(2, 2), rgb(1, 0.5, 0)), () => {}, []);`,
  }),
  built("p5", {
    specification: "p5@2.3.4",
    integrity: "sha512-bU5oNunn4L51hFu3+b6+zAQj+sPIlVyY0JmUCjABVytYwjNwf06EKFiLQgU70z5HPW58qTHRf5G8vM8gNtfbng==",
    files: { "p5.js": "lib/p5.min.js" },
    head: '<script src="p5.js"></script>',
    does: { isDrawn: true },
    script: `${isOrange}
new p5((sketch) => {
  sketch.setup = () => { sketch.createCanvas(320, 200); };
  sketch.draw = () => {
    sketch.background(255, 128, 0);
    if (sketch.frameCount === 5) window.finish({ isDrawn: isOrange(sketch.get(160, 100)) });
  };
});`,
  }),
];

/** A film of Flash with one empty frame of 320 × 200 points. */
const flashFilm = (() => {
  // RECT with fields of 15 bits, in twentieths of a point; then 12 frames a second, one frame; a background, the frame, the end.
  const fields = [0, 320 * 20, 0, 200 * 20].map((value) => value.toString(2).padStart(15, "0")).join("");
  const bits = `01111${fields}`.padEnd(72, "0");
  const rectangle = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const rest = Buffer.from([0, 12, 1, 0, 0x43, 0x02, 0xff, 0x80, 0x00, 0x40, 0x00, 0x00, 0x00]);
  const header = Buffer.from([0x46, 0x57, 0x53, 6, 0, 0, 0, 0]);
  header.writeUInt32LE(header.length + rectangle.length + rest.length, 4);
  return Buffer.concat([header, rectangle, rest]);
})();

const computed: readonly Build[] = [
  built("rapier", {
    specification: "@dimforge/rapier2d-compat@0.21.0",
    integrity: "sha512-cMStLQZbY5D/ajAPjOwTwoYuAJAungTYB45MNFEa5B+LGaMiZfxLwjHsfpxH5B0sDa+gkmcQFJJKiHNKnlpMnA==",
    files: { "rapier.js": "dist/rapier.mjs" },
    does: { rests: true },
    script: `import RAPIER from "./rapier.js";
await RAPIER.init();
const world = new RAPIER.World({ x: 0, y: -9.81 });
world.createCollider(RAPIER.ColliderDesc.cuboid(10, 1));
const body = world.createRigidBody(RAPIER.RigidBodyDesc.dynamic().setTranslation(0, 5));
world.createCollider(RAPIER.ColliderDesc.ball(0.5), body);
for (let step = 0; step < 300; step += 1) world.step();
window.finish({ rests: Math.abs(body.translation().y - 1.5) < 0.1 });`,
  }),
  built("matter", {
    specification: "matter-js@0.20.0",
    integrity: "sha512-iC9fYR7zVT3HppNnsFsp9XOoQdQN2tUyfaKg4CHLH8bN+j6GT4Gw7IH2rP0tflAebrHFw730RR3DkVSZRX8hwA==",
    files: { "matter.js": "build/matter.min.js" },
    head: '<script src="matter.js"></script>',
    does: { hasFallen: true },
    script: `const engine = Matter.Engine.create();
const ball = Matter.Bodies.circle(160, 20, 10);
Matter.Composite.add(engine.world, [ball, Matter.Bodies.rectangle(160, 190, 320, 20, { isStatic: true })]);
for (let step = 0; step < 120; step += 1) Matter.Engine.update(engine, 16);
window.finish({ hasFallen: ball.position.y > 150 && ball.position.y < 190 });`,
  }),
  built("sql.js", {
    specification: "sql.js@1.16.0",
    integrity: "sha512-q/JOZuJfmVh8Zf8Eo+cMJvtxAWeWBqTfJ6AQYGXZmcaLGHMwhA2niH3fQYHrBtPeOss1ttzHec07K5+rHaMRMw==",
    files: { "sql-wasm.js": "dist/sql-wasm.js", "sql-wasm.wasm": "dist/sql-wasm.wasm" },
    head: '<script src="sql-wasm.js"></script>',
    does: { best: 30 },
    script: `const SQL = await initSqlJs({ locateFile: (file) => file });
const database = new SQL.Database();
database.run("CREATE TABLE scores (points INTEGER); INSERT INTO scores VALUES (10), (30), (20);");
window.finish({ best: database.exec("SELECT max(points) FROM scores")[0].values[0][0] });`,
  }),
  built("lua", {
    specification: "wasmoon@1.16.0",
    integrity: "sha512-FlRLb15WwAOz1A9OQDbf6oOKKSiefi5VK0ZRF2wgH9xk3o5SnU11tNPaOnQuAh1Ucr66cwwvVXaeVRaFdRBt5g==",
    files: { "lua.js": "dist/index.js", "glue.wasm": "dist/glue.wasm" },
    head: '<script src="lua.js"></script>',
    does: { answer: 42 },
    script: `const lua = await new wasmoon.LuaFactory("glue.wasm").createEngine();
window.finish({ answer: await lua.doString("local sum = 0 for n = 1, 6 do sum = sum + 7 end return sum") });`,
  }),
  built("ink", {
    specification: "inkjs@2.4.0",
    integrity: "sha512-EoPCYESIbMtfI8SqEDZCJwn+A5is0QozMLw250iic1ReJCgZpRKIezWj0VqgRUzAx0f3MmEbsUjY/ILe2815JQ==",
    files: { "ink.js": "dist/ink-full.js" },
    head: '<script src="ink.js"></script>',
    does: { text: "You are in the cave." },
    script: `const story = new inkjs.Compiler("A hill.\\n* [Enter]\\n  You are in the cave.\\n  -> END").Compile();
story.ContinueMaximally();
story.ChooseChoiceIndex(0);
window.finish({ text: story.ContinueMaximally().trim() });`,
  }),
  built("ruffle", {
    specification: "@ruffle-rs/ruffle@0.6.0",
    integrity: "sha512-P2X1zDENBoiLt2ZjPcsUzaDxoR7fVF2e1U/bi7hbIAQEjkykxljSoG8AgbywHvlVVzL9Y5tIZMRqDwIm31jgPA==",
    files: { ruffle: "." },
    head: '<script src="ruffle/ruffle.js"></script>',
    more: { "film.swf": flashFilm },
    does: { size: [320, 200], frames: 1 },
    // It takes the URL of its own script away while Chromium still loads it.
    complains: /failed: blob:/,
    script: `const player = window.RufflePlayer.newest().createPlayer();
document.body.append(player);
const { metadata } = await new Promise((resolve) => {
  player.addEventListener("loadedmetadata", () => resolve(player.ruffle()));
  player.ruffle().load({ url: "film.swf", autoplay: "on" });
});
window.finish({ size: [metadata.width, metadata.height], frames: metadata.numFrames });`,
  }),
  built("pyodide", {
    ...gameLibraries.pyodide,
    files: pyodideFiles,
    does: { text: "level 3" },
    script: `import { loadPyodide } from "./pyodide.mjs";
const python = await loadPyodide({ indexURL: "./" });
window.finish({ text: python.runPython("import json; 'level ' + str(json.loads('[1, 2, 3]')[-1])") });`,
  }),
  built("ffmpeg", {
    specification: "@ffmpeg/core-mt@0.12.10",
    integrity: "sha512-atyRTOpa58bLCIgd6GXBZAXWyWD3AUoQyzxqjvGhp9MuSzdILtOTI62ffLswBsCnLq15lQ8IETHUpm1oe4V9FQ==",
    files: Object.fromEntries(["js", "wasm", "worker.js"].map((end) => [`core.${end}`, `dist/umd/ffmpeg-core.${end}`])),
    settings: "isolation = true\n",
    more: {
      "encode.js": `importScripts("core.js");
const at = (name) => new URL(name, location.href).href;
const places = btoa(JSON.stringify({ wasmURL: at("core.wasm"), workerURL: at("core.worker.js") }));
self.createFFmpegCore({ mainScriptUrlOrBlob: at("core.js") + "#" + places }).then((core) => {
  core.setLogger(() => {});
  core.exec("-f", "lavfi", "-i", "sine=duration=1", "tone.wav");
  postMessage(core.FS.readFile("tone.wav").length);
}).catch((error) => postMessage(String(error)));`,
    },
    does: { isEncoded: true },
    // It was not done after 170 s.
    notIn: "Firefox",
    script: `const worker = new Worker("encode.js");
worker.onmessage = ({ data }) => window.finish({ isEncoded: data > 80_000 || data });
worker.onerror = ({ message }) => window.finish({ failed: message });`,
  }),
  built("stockfish", {
    specification: "stockfish@19.0.0",
    integrity: "sha512-jDyYLbqNpboQcMs5HodTHI2CrKL74zkQWb1+sgoNXw5HI6avTblW4G0X7afFt3BBOc6VbTSkOV64EUxm/DWSpg==",
    files: Object.fromEntries(["js", "wasm"].map((end) => [`stockfish.${end}`, `bin/stockfish-19-lite.${end}`])),
    settings: "isolation = true\n",
    does: { move: "mate" },
    script: `const engine = new Worker("stockfish.js");
let isMate = false;
engine.onmessage = ({ data }) => {
  if (String(data).includes("score mate 1")) isMate = true;
  if (String(data).startsWith("bestmove")) window.finish({ move: isMate && data.includes("d8h4") ? "mate" : data });
};
// The fool's mate: black moves.
for (const line of ["uci", "setoption name Threads value 2", "position startpos moves f2f3 e7e5 g2g4", "go depth 6"])
  engine.postMessage(line);`,
  }),
  built("js-dos", {
    specification: "js-dos@8.4.1",
    integrity: "sha512-rnFHQ/XFfodmmOFABNW7rql5K/qQTfKoCgkEJTKatLLIrB80mhUVZxxkwA7MbXLCRp54kbrhkhJLbPOxkLIktg==",
    files: { emulators: "dist/emulators" },
    head: '<script src="emulators/emulators.js"></script>',
    does: { isBooted: true },
    script: `emulators.pathPrefix = "emulators/";
const dos = await emulators.dosboxWorker([{ dosboxConf: "[autoexec]\\necho READY\\n", jsdosConf: { version: "8" } }]);
dos.events().onFrame((rgb) => { if (rgb?.some((byte) => byte > 0)) window.finish({ isBooted: true }); });`,
  }),
];

export const engines: readonly Build[] = [...drawn, ...computed];
