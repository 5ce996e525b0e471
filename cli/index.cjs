// The bundle of dist/, run from the code that V8 compiled of it before. What oclif finds here as a plugin is the same.
//
// Not module.enableCompileCache: it keeps code as it is before it ran, in which the functions are still source text.
const {
  chmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  closeSync,
  readFileSync,
  readdirSync,
} = require("node:fs");
const { renameSync, rmSync, writeFileSync } = require("node:fs");
const { homedir } = require("node:os");
const { isAbsolute, join } = require("node:path");
const { Script } = require("node:vm");

const filename = join(__dirname, "dist", "bundle.cjs");
// As build.ts wrote it.
const source = readFileSync(filename, "latin1");
const build = /^\/\/ ([0-9a-f]{64})\n$/.exec(source.slice(-68))?.[1];
const folder = build && privateFolder();
const file = folder && join(folder, `${build}-${process.version}-${process.arch}`);

const cachedData = file && read(file);
const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
  filename,
  cachedData,
});
if (file && (cachedData === undefined || script.cachedDataRejected)) process.once("exit", keep);
script.runInThisContext()(exports, require, module, filename, join(__dirname, "dist"));

/** Keeps what is compiled by now, in place of other builds'. */
function keep() {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    for (const name of readdirSync(folder)) if (!name.startsWith(build)) rmSync(join(folder, name));
    writeFileSync(temporary, script.createCachedData(), { mode: 0o600, flag: "wx" });
    renameSync(temporary, file);
  } catch {
    // What cannot be kept is compiled again next time.
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
 * A folder of this person alone (0700), because whoever can write to it decides which code runs here. What an earlier
 * version left open to others is emptied. Undefined where there is none.
 */
function privateFolder() {
  const cache = cacheFolder();
  if (!isAbsolute(cache)) return undefined;
  const folder = join(cache, "svc", "code");
  try {
    for (const directory of [cache, join(cache, "svc"), folder]) makeFolder(directory);
    const { uid, mode } = lstatSync(folder);
    if (isOurs(uid, mode)) return folder;
    rmSync(folder, { recursive: true });
    mkdirSync(folder, 0o700);
    return folder;
  } catch {
    return undefined;
  }
}

/** One by one: in a virtual file system that takes no folders, mkdir's `recursive` does not come back. */
function makeFolder(directory) {
  try {
    mkdirSync(directory, 0o700);
    chmodSync(directory, 0o700);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
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
    // Neither HOME nor an entry for this user: containers run under invented user ids.
    return "";
  }
}
