#!/usr/bin/env node
const { userInfo } = require("node:os");

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 15)) {
  console.error(`svc needs Node.js 20.15 or later; this is ${process.version}.`);
  process.exit(1);
}

try {
  userInfo();
} catch {
  // Containers run under user ids that the system does not know. Without these variables oclif would fail there.
  process.env.HOME ??= "";
  process.env.SHELL ??= "";
}

const argv = process.argv.slice(2);
const isVersion = ["--version", "-v", "-V"].includes(argv[0]);
require(isVersion ? "../dist/version.cjs" : "../index.cjs").main(argv);
