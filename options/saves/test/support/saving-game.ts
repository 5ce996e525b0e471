/*
 * A game that saves as engines do, so that what it reads in another browser is what those would read. The forms are those of
 * Emscripten's IDBFS (src/lib/libidbfs.js), which Godot has at /userfs and Unity at /idbfs; of RPG Maker MV and of localForage, which MZ has;
 * and of SQLite's pool of files (opfs-sahpool).
 */

const script = `
const opened = (name, version, upgrade) => new Promise((resolve, reject) => {
  const request = indexedDB.open(name, version);
  request.onupgradeneeded = () => upgrade(request.result);
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
const finished = (transaction) => new Promise((resolve, reject) => {
  transaction.oncomplete = resolve;
  transaction.onabort = () => reject(transaction.error);
});
const got = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
const idbfs = (name) => opened(name, 21, (database) =>
  database.createObjectStore("FILE_DATA").createIndex("timestamp", "timestamp", { unique: false }));
const put = async (database, store, entries) => {
  const transaction = database.transaction(store, "readwrite");
  for (const [key, value] of entries) transaction.objectStore(store).put(value, key);
  await finished(transaction);
  database.close();
};
const time = new Date(Date.UTC(2026, 10, 30));
const folder = { timestamp: time, mode: 16895 };
const file = (mark) => ({ timestamp: time, mode: 33206, contents: new TextEncoder().encode("level " + mark + "\\0\\xff") });
const hasFiles = async () => {
  try { await navigator.storage.getDirectory(); return "createWritable" in FileSystemFileHandle.prototype; } catch { return false; }
};

/** Saves in the forms that this browser has. */
async function save(mark) {
  await put(await idbfs("/userfs"), "FILE_DATA", [["/userfs/app", folder], ["/userfs/app/save.dat", file(mark)]]);
  await put(await idbfs("/idbfs"), "FILE_DATA", [["/idbfs/0f1e", folder], ["/idbfs/0f1e/PlayerPrefs", file("prefs " + mark)]]);
  localStorage.setItem("RPG File1", "\\ud800\\udfff\\ud801" + mark);
  localStorage.setItem("best", mark);
  await put(await opened("localforage", 2, (database) => database.createObjectStore("keyvaluepairs")), "keyvaluepairs",
    [["rmmzsave.1.file1", "x" + mark]]);
  const own = await opened("own", 3, (database) => {
    const store = database.createObjectStore("things", { keyPath: "id", autoIncrement: true });
    store.createIndex("tags", "tags", { multiEntry: true });
    store.createIndex("both", ["a", "b"], { unique: true });
  });
  const transaction = own.transaction("things", "readwrite");
  const thing = { id: 1, a: mark, b: 1, tags: ["x", "y"], map: new Map([["k", new Set([1n])]]), when: time, pattern: /a\\/b/gi, numbers: new Float64Array([0.5]) };
  thing.self = thing;
  transaction.objectStore("things").put(thing);
  await finished(transaction);
  own.close();
  if (!(await hasFiles())) return;
  const root = await navigator.storage.getDirectory();
  const pool = await root.getDirectoryHandle(".opaque", { create: true });
  const handle = await pool.getFileHandle("a1b2", { create: true });
  const writable = await handle.createWritable();
  await writable.write("SQLite format 3\\0" + mark);
  await writable.close();
}

/** What the game finds, as JSON can have it. */
async function load() {
  const names = (await indexedDB.databases()).map(({ name, version }) => name + " " + version).filter((name) => !name.startsWith("svc-")).sort();
  const found = { names, texts: Object.fromEntries(Object.keys(localStorage).sort().map((key) => [key, escape(localStorage.getItem(key))])) };
  for (const [name, path] of [["/userfs", "/userfs/app/save.dat"], ["/idbfs", "/idbfs/0f1e/PlayerPrefs"]]) {
    if (!names.includes(name + " 21")) continue;
    const database = await idbfs(name);
    const store = database.transaction("FILE_DATA").objectStore("FILE_DATA");
    // As IDBFS finds what is newer.
    const times = await got(store.index("timestamp").getAllKeys(time));
    const { contents, mode } = await got(store.get(path));
    found[name] = { times, mode, isBytes: contents instanceof Uint8Array, text: escape(String.fromCharCode(...contents)) };
    database.close();
  }
  if (names.includes("localforage 2")) {
    const database = await opened("localforage", 2, () => {});
    found.forage = await got(database.transaction("keyvaluepairs").objectStore("keyvaluepairs").get("rmmzsave.1.file1"));
    database.close();
  }
  if (names.includes("own 3")) {
    const database = await opened("own", 3, () => {});
    const store = database.transaction("things", "readwrite").objectStore("things");
    const [thing] = await got(store.index("tags").getAll("y"));
    found.own = {
      id: thing.id, mark: thing.a, isItself: thing.self === thing, map: String([...thing.map.get("k")]) + typeof [...thing.map.get("k")][0],
      when: thing.when.toISOString(), pattern: String(thing.pattern), numbers: Object.prototype.toString.call(thing.numbers) + thing.numbers,
      isUnique: store.index("both").unique, next: await got(store.add({ a: Math.random(), b: 2 })),
    };
    store.transaction.abort();
    database.close();
  }
  try {
    const root = await navigator.storage.getDirectory();
    const handle = await (await root.getDirectoryHandle(".opaque")).getFileHandle("a1b2");
    found.file = await (await handle.getFile()).text();
  } catch {}
  return found;
}
`;

/** The game, whose functions `save(mark)` and `load()` a test calls. */
export const savingGame = `<!doctype html><link rel="icon" href="data:,"><title>Game</title><p>A game</p><script>${script}</script>`;

/** What it finds if everything is there. */
export function foundSaves(mark: string, hasFiles: boolean): object {
  const time = "2026-11-30T00:00:00.000Z";
  const idbfs = (folder: string, file: string, text: string) => ({
    times: [folder, file],
    mode: 33_206,
    isBytes: true,
    text: `level%20${text}%00%C3%BF`,
  });
  return {
    names: ["/idbfs 21", "/userfs 21", "localforage 2", "own 3"],
    texts: { "RPG File1": `%uD800%uDFFF%uD801${mark}`, best: mark },
    "/userfs": idbfs("/userfs/app", "/userfs/app/save.dat", mark),
    "/idbfs": idbfs("/idbfs/0f1e", "/idbfs/0f1e/PlayerPrefs", `prefs%20${mark}`),
    forage: `x${mark}`,
    own: {
      ...{ id: 1, mark, isItself: true, map: "1bigint", when: time, pattern: "/a\\/b/gi" },
      ...{ numbers: "[object Float64Array]0.5", isUnique: true, next: 2 },
    },
    ...(hasFiles && { file: `SQLite format 3\0${mark}` }),
  };
}
