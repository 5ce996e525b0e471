#!/usr/bin/env node
// Loads the bundle, compiled before where node can keep compiled code (22.1 and later).
const { homedir } = require("node:os");
const { isAbsolute, join } = require("node:path");
const nodeModule = require("node:module");

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 15)) {
  console.error(`svc needs Node.js 20.15 or later; this is ${process.version}.`);
  process.exit(1);
}

// A directory of the person's own: node's default is a shared one, where others could place code.
const cache = cacheDirectory();
if (isAbsolute(cache)) nodeModule.enableCompileCache?.(join(cache, "svc", "code"));

require("./dist/main.cjs");

function cacheDirectory() {
  const configured = process.env.XDG_CACHE_HOME ?? "";
  if (isAbsolute(configured)) return configured;
  try {
    return join(homedir(), ".cache");
  } catch {
    // Neither HOME nor an entry for this user: containers run under invented user ids.
    return "";
  }
}
