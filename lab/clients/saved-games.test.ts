import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { loadFile, savedFile } from "../../options/saves/test/support/moving-player.ts";
import { page, writeAll } from "../../test/browser/games/build.ts";
import { type BrowserName, usePlayers } from "../../test/browser/games/players.ts";
import { fetchedPackage, gameLibraries, type Package, pyodideFiles } from "../../test/support/fetched-package.ts";
import { type Folder, newProject, publish } from "../../test/support/service/steps.ts";
import { useOwner, useService } from "../../test/support/service/suite.ts";

/*
 * What real engines save in Chromium is read by the same engine in each other browser, after the page for saved games has moved it. Each game has
 * `save(mark)` and `load()`, made of the engine's own interface. What it cannot have here: an export of Godot, RPG Maker, Construct or Ren'Py that
 * saves. Godot's user:// and Unity's files are Emscripten's IDBFS, which is here by itself.
 */

const service = useService();
const ada = useOwner(service);
const players = usePlayers();

const folder = mkdtempSync(join(tmpdir(), "svc-engines-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Engine {
  readonly name: string;
  readonly library?: Package;
  /** Files of its package, by their paths in the game. */
  readonly files?: Readonly<Record<string, string>>;
  readonly more?: Readonly<Record<string, string>>;
  readonly head?: string;
  /** A browser that lacks what the engine saves with, whichever page has moved it. */
  readonly notIn?: BrowserName;
  /** Defines `window.save` and `window.load`. */
  readonly script: string;
}

const engines: readonly Engine[] = [
  {
    name: "Emscripten's IDBFS, in Pyodide",
    library: gameLibraries.pyodide,
    files: pyodideFiles,
    script: `import { loadPyodide } from "./pyodide.mjs";
const python = await loadPyodide({ indexURL: "./" });
const synchronised = (fromDisk) => new Promise((resolve, reject) => python.FS.syncfs(fromDisk, (error) => (error ? reject(error) : resolve())));
python.FS.mkdirTree("/userfs");
python.FS.mount(python.FS.filesystems.IDBFS, {}, "/userfs");
await synchronised(true);
window.save = async (mark) => {
  python.FS.mkdirTree("/userfs/app");
  python.runPython("open('/userfs/app/save.dat', 'wb').write(b'\\\\x00\\\\xff" + mark + "')");
  await synchronised(false);
};
window.load = async () => python.runPython("import os; repr(open('/userfs/app/save.dat', 'rb').read()) if os.path.exists('/userfs/app/save.dat') else None");`,
  },
  {
    name: "SQLite in the origin private file system",
    library: {
      specification: "@sqlite.org/sqlite-wasm@3.54.1-build1",
      integrity: "sha512-foW427VBLJ3G87bsnvQTZCc9zYe0Fq1wH0pz1I6BlKLKXcArIAyTkHtq0iT2llmhcMQt9T/p6l5PpQQh+6O8uQ==",
    },
    // WebKitGTK 2.50: "Missing required OPFS APIs".
    notIn: "WebKit",
    files: { "index.mjs": "dist/index.mjs", "sqlite3.wasm": "dist/sqlite3.wasm" },
    more: {
      "worker.js": `import start from "./index.mjs";
onmessage = async ({ data: [act, mark] }) => {
  try {
    const sqlite = await start({ print() {}, printErr() {} });
    const pool = await sqlite.installOpfsSAHPoolVfs({});
    const database = new pool.OpfsSAHPoolDb("/save.db");
    database.exec("CREATE TABLE IF NOT EXISTS saves (slot INTEGER PRIMARY KEY, mark TEXT)");
    if (act === "save") database.exec({ sql: "INSERT OR REPLACE INTO saves VALUES (1, ?)", bind: [mark] });
    const rows = database.selectValues("SELECT mark FROM saves");
    database.close();
    pool.pauseVfs?.();
    postMessage({ rows });
  } catch (error) { postMessage({ failed: String(error) }); }
};`,
    },
    script: `const ask = (...message) => new Promise((resolve, reject) => {
  const worker = new Worker("worker.js", { type: "module" });
  worker.onmessage = ({ data }) => { worker.terminate(); data.failed ? reject(new Error(data.failed)) : resolve(data.rows); };
  worker.onerror = ({ message }) => reject(new Error(message));
  worker.postMessage(message);
});
window.save = (mark) => ask("save", mark);
window.load = async () => JSON.stringify(await ask("load"));`,
  },
  {
    name: "localForage, as RPG Maker MZ saves",
    library: {
      specification: "localforage@1.10.0",
      integrity: "sha512-14/H1aX7hzBBmmh7sGPd+AOMkkIrHM3Z1PAyGgZigA1H1p5O5ANnMyWzvpAETtG68/dC4pC0ncy3+PPGzXZHPg==",
    },
    files: { "localforage.js": "dist/localforage.min.js" },
    head: '<script src="localforage.js"></script>',
    script: `window.save = (mark) => localforage.setItem("rmmzsave.1.file1", "\\u0000\\ud800" + mark);
window.load = async () => escape(await localforage.getItem("rmmzsave.1.file1") ?? "");`,
  },
  {
    name: "Phaser, whose games save in localStorage",
    library: gameLibraries.phaser,
    files: { "phaser.js": "dist/phaser.min.js" },
    head: '<script src="phaser.js"></script>',
    script: `const game = new Phaser.Game({ type: Phaser.CANVAS, width: 320, height: 200, audio: { noAudio: true }, scene: {} });
await new Promise((resolve) => game.events.once("ready", resolve));
const data = new Phaser.Data.DataManager({ events: new Phaser.Events.EventEmitter() }, new Phaser.Events.EventEmitter());
window.save = async (mark) => { data.set("level", mark); localStorage.setItem("save", JSON.stringify(data.getAll())); };
window.load = async () => { data.merge(JSON.parse(localStorage.getItem("save") ?? "{}")); return String(data.get("level")); };`,
  },
];

/** The files of a folder, by their paths. */
function folderOf(path: string): Folder {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [file.slice(path.length + 1), readFileSync(file)];
    }),
  );
}

function gameOf({ name, library, files = {}, more = {}, head = "", script }: Engine): Folder {
  const game = mkdtempSync(join(folder, name.replace(/\W/g, "")));
  const fetched = library === undefined ? "" : fetchedPackage(library);
  for (const [to, from] of Object.entries(files)) {
    mkdirSync(dirname(join(game, to)), { recursive: true });
    copyFileSync(join(fetched, from), join(game, to));
  }
  writeAll(game, {
    ...more,
    "index.html": page(
      `<script type="module">${script}
window.finish({});</script>`,
      head,
    ),
  });
  return folderOf(game);
}

const [[, chromium] = [], ...others] = players;
const pairs = engines.flatMap((engine) =>
  others.filter(([to]) => to !== engine.notIn).map(([to, comeTo]) => ({ engine, to, comeTo })),
);

test.each(pairs)("what $engine.name saved in Chromium is read by it in $to", async ({ engine, comeTo }) => {
  const slug = await newProject(ada);
  await publish(ada, slug, gameOf(engine));
  const game = `http://${slug}.${service.gamesDomain}/`;
  const [one, other] = [await chromium?.(), await comeTo()];
  try {
    if (one === undefined) throw new Error("There is no Chromium");
    await one.open(game);
    await one.done();
    await one.evaluate("save('seven').then(() => true)");
    const saved = await one.evaluate("load()");
    expect(saved).toContain("seven");
    await one.open(`${game}.well-known/svc/saves`);
    const file = await savedFile(one);
    await other.open(game);
    await other.done();
    expect(await other.evaluate("load()")).not.toBe(saved);
    await other.open(`${game}.well-known/svc/saves`);
    await loadFile(other, file);
    await other.open(game);
    await other.done();
    expect(await other.evaluate("load()")).toBe(saved);
  } finally {
    await Promise.all([one?.leave(), other.leave()]);
  }
});
