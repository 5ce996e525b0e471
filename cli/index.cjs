// Runs dist/bundle.cjs with V8's cached compiled code. oclif loads the same file where svc is a plugin.
//
// Not module.enableCompileCache: it stores code before it has run (docs/decisions/0012-one-bundle-for-the-command-line.md).
const { closeSync, fstatSync, lstatSync, mkdirSync, openSync, readFileSync } = require("node:fs");
const { readdirSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { homedir } = require("node:os");
const { dirname, isAbsolute, join } = require("node:path");
const { Script } = require("node:vm");

const slowModules = new Set(["crypto", "perf_hooks", "readline", "timers/promises", "zlib"]);
const filename = join(__dirname, "dist", "bundle.cjs");
// build.ts writes Latin-1, and the digest at the end.
const source = readFileSync(filename, "latin1");
const build = /^\/\/ ([0-9a-f]{64})\n$/.exec(source.slice(-68))?.[1];
const folder = build && privateFolder();
const file = folder && join(folder, `${build}-${process.version}-${process.arch}`);

const cachedData = file && read(file);
const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
  filename,
  cachedData,
});
if (file && (cachedData === undefined || script.cachedDataRejected)) process.once("exit", saveCompiledCode);
script.runInThisContext()(exports, lazyRequire, module, filename, join(__dirname, "dist"));

/**
 * Loads the slow ones of Node's modules when something of them is first used: most commands import them and use none. Together
 * they take a quarter of the time of `svc whoami`.
 */
function lazyRequire(name) {
  if (!slowModules.has(name.replace(/^node:/, ""))) return require(name);
  return new Proxy(
    {},
    {
      get: (_, key) => require(name)[key],
      // For `import * as`, which copies the names.
      ownKeys: () => Reflect.ownKeys(require(name)),
      getOwnPropertyDescriptor: (_, key) => ({ value: require(name)[key], enumerable: true, configurable: true }),
    },
  );
}

/** Saves what is compiled now, and removes the files of other builds. */
function saveCompiledCode() {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    for (const name of readdirSync(folder)) if (!name.startsWith(build)) rmSync(join(folder, name));
    writeFileSync(temporary, script.createCachedData(), { mode: 0o600, flag: "wx" });
    renameSync(temporary, file);
  } catch {
    // The next run compiles again.
  }
}

function read(file) {
  try {
    const descriptor = openSync(file);
    try {
      const { uid, mode } = fstatSync(descriptor);
      return isOurs(uid, mode) ? readFileSync(descriptor) : undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

/**
 * A folder that only this user can open (0700), because who can write to it decides which code runs here. A folder that
 * others can open is replaced by an empty one. Undefined where none can be made.
 */
function privateFolder() {
  const cache = cacheFolder();
  if (!isAbsolute(cache)) return undefined;
  const folder = join(cache, "svc", "code");
  try {
    makeFolder(folder);
    const { uid, mode } = lstatSync(folder);
    if (isOurs(uid, mode)) return folder;
    rmSync(folder, { recursive: true });
    mkdirSync(folder, 0o700);
    return folder;
  } catch {
    return undefined;
  }
}

/** Makes missing parents too. Not mkdir's `recursive`, which on Linux never returns in a file system such as /proc. */
function makeFolder(directory) {
  try {
    mkdirSync(directory, 0o700);
  } catch (error) {
    if (error.code === "EEXIST") return;
    if (error.code !== "ENOENT" || dirname(directory) === directory) throw error;
    makeFolder(dirname(directory));
    mkdirSync(directory, 0o700);
  }
}

function isOurs(uid, mode) {
  return process.platform === "win32" || (uid === process.getuid() && (mode & 0o077) === 0);
}

function cacheFolder() {
  const configured = process.env.XDG_CACHE_HOME ?? "";
  if (isAbsolute(configured)) return configured;
  try {
    return join(homedir(), ".cache");
  } catch {
    // Neither HOME nor an entry for this user, as in containers with an arbitrary user id.
    return "";
  }
}
