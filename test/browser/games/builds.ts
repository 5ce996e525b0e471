import { execFileSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import wabt from "wabt";
import { fetchedPackage, gameLibraries } from "../../support/fetched-package.ts";
import { type Build, page, writeAll } from "./build.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Paints a canvas and reads one pixel of it back. */
const paint = `<canvas width="320" height="200"></canvas><script>
window.paint = (colour) => {
  const context = document.querySelector("canvas").getContext("2d");
  context.fillStyle = colour;
  context.fillRect(0, 0, 320, 200);
  return [...context.getImageData(9, 9, 1, 1).data];
};
</script>`;

async function wasm(text: string): Promise<Buffer> {
  const module = (await wabt()).parseWat("game.wat", text, { threads: true });
  try {
    return Buffer.from(module.toBinary({}).buffer);
  } finally {
    module.destroy();
  }
}

/** Build of Vite with its defaults: absolute paths, hashed names, a chunk that is loaded later. */
const vite: Build = {
  name: "vite",
  settings: 'immutable = ["assets/**"]\n',
  does: { level: "level one", isModule: true },
  write(folder) {
    const source = `${folder}-source`;
    writeAll(source, {
      "index.html": page('<h1></h1><script type="module" src="/main.js"></script>'),
      "main.js": `import "./style.css";
document.querySelector("h1").textContent = "Built with Vite";
const { level } = await import("./level.js");
window.finish({ level, isModule: import.meta.url.includes("/assets/") });`,
      "level.js": 'export const level = "level one";',
      "style.css": "h1 { color: rebeccapurple; font: 3rem sans-serif }",
      "package.json": '{ "type": "module" }',
    });
    const arguments_ = ["build", source, "--outDir", folder, "--emptyOutDir", "--logLevel", "error"];
    execFileSync(process.execPath, [join(root, "node_modules/vite/bin/vite.js"), ...arguments_], { cwd: source });
  },
};

/** Its script asks for the engine when the browser has loaded it; WebKit lists a second load then. */
const preloading: Build = {
  name: "preloading",
  settings: 'preload = ["engine.data"]\n',
  does: { bytes: 100_000, isLoadedOnce: true },
  write(folder) {
    writeAll(folder, {
      "engine.data": Buffer.alloc(100_000, "engine"),
      "index.html": page(`<script type="module">
const loads = () => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/engine.data"));
while (loads().length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
const { byteLength } = await (await fetch("engine.data")).arrayBuffer();
window.finish({ bytes: byteLength, isLoadedOnce: loads().length === (navigator.vendor.startsWith("Apple") ? 2 : 1) });
</script>`),
    });
  },
};

const phaser: Build = {
  name: "phaser",
  does: { isRunning: true, texture: [32, 32] },
  write(folder) {
    writeAll(folder, {
      "index.html": page('<script src="phaser.min.js"></script><script src="game.js"></script>'),
      "hero.png": Buffer.from(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
        "base64",
      ),
      "game.js": `new Phaser.Game({
  type: Phaser.AUTO, width: 320, height: 200, backgroundColor: "#204060",
  scene: {
    preload() { this.load.image("hero", "hero.png"); },
    create() { this.hero = this.add.image(160, 100, "hero").setDisplaySize(32, 32); this.frames = 0; },
    update() {
      this.hero.rotation += 0.05;
      this.frames += 1;
      if (this.frames === 5) window.finish({ isRunning: true, texture: [this.hero.displayWidth, this.hero.displayHeight] });
    },
  },
});`,
    });
    const phaserPackage = fetchedPackage(gameLibraries.phaser);
    copyFileSync(join(phaserPackage, "dist/phaser.min.js"), join(folder, "phaser.min.js"));
  },
};

const three: Build = {
  name: "three",
  needsWebGl: true,
  does: { isDrawn: true },
  write(folder) {
    writeAll(folder, {
      "index.html": page(
        '<script type="module" src="game.js"></script>',
        '<script type="importmap">{"imports": {"three": "./three.module.js"}}</script>',
      ),
      "game.js": `import * as THREE from "three";
const renderer = new THREE.WebGLRenderer({ preserveDrawingBuffer: true });
renderer.setSize(320, 200);
document.body.append(renderer.domElement);
const camera = new THREE.PerspectiveCamera(60, 1.6, 0.1, 10);
camera.position.z = 2;
const scene = new THREE.Scene();
scene.add(new THREE.Mesh(new THREE.BoxGeometry(1, 1, 1), new THREE.MeshBasicMaterial({ color: 0xff8800 })));
renderer.render(scene, camera);
const context = renderer.getContext();
const pixel = new Uint8Array(4);
context.readPixels(160, 100, 1, 1, context.RGBA, context.UNSIGNED_BYTE, pixel);
window.finish({ isDrawn: pixel[0] > 200 && pixel[2] < 50 });`,
    });
    const threePackage = fetchedPackage(gameLibraries.three);
    for (const file of ["three.module.js", "three.core.js"])
      copyFileSync(join(threePackage, "build", file), join(folder, file));
  },
};

/** A tone of this many seconds as WAV: after 30 a seek requests a range. */
function tone(seconds: number): Buffer {
  const rate = 44_100;
  const samples = Buffer.alloc(rate * seconds * 2);
  for (let index = 0; index < rate * seconds; index += 1)
    samples.writeInt16LE(Math.round(Math.sin(index / 16) * 9_000), index * 2);
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + samples.length, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

const platform: Build = {
  name: "platform",
  does: {
    worker: "from a module worker",
    database: "kept",
    cached: "cached by the service worker",
    seeked: true,
    part: "206 bytes 100-199",
    answer: 42,
    megabytes: true,
    pixel: [0, 128, 0, 255],
  },
  async write(folder) {
    const filler = `(data (i32.const 0) "${"ab12".repeat(1_200_000)}")`;
    writeAll(folder, {
      "index.html": page(`${paint}<audio preload="auto"></audio><script type="module" src="/game.js"></script>`),
      "game.js": `const worker = new Worker("/worker.js", { type: "module" });
const fromWorker = new Promise((resolve) => worker.addEventListener("message", ({ data }) => resolve(data)));
const open = indexedDB.open("save", 1);
const database = await new Promise((resolve, reject) => {
  open.onupgradeneeded = () => open.result.createObjectStore("kept").put("kept", "key");
  open.onsuccess = () => resolve(open.result);
  open.onerror = () => reject(open.error);
});
const read = database.transaction("kept").objectStore("kept").get("key");
const kept = await new Promise((resolve) => { read.onsuccess = () => resolve(read.result); });
await navigator.serviceWorker.register("/sw.js");
await navigator.serviceWorker.ready;
while (navigator.serviceWorker.controller === null) await new Promise((resolve) => setTimeout(resolve, 20));
const cached = await (await fetch("/cached.txt")).text();
const audio = document.querySelector("audio");
audio.src = "/tone.wav";
await new Promise((resolve) => audio.addEventListener("canplaythrough", resolve, { once: true }));
const seek = new Promise((resolve) => audio.addEventListener("seeked", resolve, { once: true }));
audio.currentTime = 25;
await seek;
const ranged = await fetch("/tone.wav", { headers: { range: "bytes=100-199" } });
const response = await fetch("/big.wasm");
const { instance } = await WebAssembly.instantiateStreaming(response);
window.finish({
  worker: await fromWorker, database: kept, cached, seeked: audio.currentTime > 24,
  part: ranged.status + " bytes 100-" + (100 + (await ranged.arrayBuffer()).byteLength - 1),
  answer: instance.exports.answer(), megabytes: instance.exports.memory.buffer.byteLength > 4 * 1024 * 1024,
  pixel: window.paint("green"),
});`,
      "worker.js": 'import { text } from "./text.js";\npostMessage(text);',
      "text.js": 'export const text = "from a module worker";',
      "sw.js": `addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (new URL(event.request.url).pathname === "/cached.txt")
    event.respondWith(new Response("cached by the service worker"));
});`,
      "tone.wav": tone(30),
      "big.wasm": await wasm(
        `(module (memory (export "memory") 80) ${filler} (func (export "answer") (result i32) (i32.const 42)))`,
      ),
    });
  },
};

/** Unity's build for the web, with the work of its loader. */
const unity: Build = {
  name: "unity",
  does: { framework: "ready", answer: 7, data: "the data of the game" },
  async write(folder) {
    const code = await wasm('(module (func (export "answer") (result i32) (i32.const 7)))');
    writeAll(folder, {
      "index.html": page(`${paint}<script src="Build/game.loader.js"></script>`),
      "Build/game.loader.js": `const script = document.createElement("script");
script.src = "Build/game.framework.js.br";
script.onload = async () => {
  const { instance } = await WebAssembly.instantiateStreaming(fetch("Build/game.wasm.br"));
  const data = await (await fetch("Build/game.data.gz")).text();
  window.paint("navy");
  window.finish({ framework: window.unityFramework, answer: instance.exports.answer(), data });
};
script.onerror = () => window.finish({ failed: "the framework did not load" });
document.body.append(script);`,
      "Build/game.framework.js.br": brotliCompressSync('window.unityFramework = "ready";'),
      "Build/game.wasm.br": brotliCompressSync(code),
      "Build/game.data.gz": gzipSync("the data of the game"),
    });
  },
};

/** Threads of WebAssembly: two workers add to one shared memory. */
const threads: Build = {
  name: "threads",
  settings: "isolation = true\n",
  does: { isIsolated: true, sum: 2_000 },
  async write(folder) {
    const code = await wasm(`(module
  (import "game" "memory" (memory 1 1 shared))
  (func (export "add") (param $times i32)
    (loop $again
      (drop (i32.atomic.rmw.add (i32.const 0) (i32.const 1)))
      (local.set $times (i32.sub (local.get $times) (i32.const 1)))
      (br_if $again (local.get $times)))))`);
    writeAll(folder, {
      "index.html": page(`${paint}<script type="module" src="game.js"></script>`),
      "game.js": `const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
const module = await WebAssembly.compileStreaming(fetch("add.wasm"));
await Promise.all([1, 2].map(() => new Promise((resolve) => {
  const worker = new Worker("thread.js");
  worker.addEventListener("message", resolve);
  worker.addEventListener("error", () => window.finish({ failed: "a thread did not start" }));
  worker.postMessage({ module, memory });
})));
window.paint("teal");
window.finish({ isIsolated: crossOriginIsolated, sum: Atomics.load(new Int32Array(memory.buffer), 0) });`,
      "thread.js": `addEventListener("message", async ({ data: { module, memory } }) => {
  const { exports } = await WebAssembly.instantiate(module, { game: { memory } });
  exports.add(1_000);
  postMessage("done");
});`,
      "add.wasm": code,
    });
  },
};

/** A jam game with everything in its one page of 6 MB. */
const jam: Build = {
  name: "jam",
  does: { bytes: 6_000_000, pixel: [255, 0, 0, 255] },
  write(folder) {
    const art = "0123456789abcdef".repeat(375_000);
    writeAll(folder, {
      "index.html": page(`${paint}<script id="art" type="text/plain">${art}</script>
<script>window.finish({ bytes: document.querySelector("#art").textContent.length, pixel: window.paint("red") });</script>`),
    });
  },
};

export const builds: readonly Build[] = [vite, preloading, phaser, three, platform, unity, threads, jam];
