#!/usr/bin/env node
const { userInfo } = require("node:os");

const [major, minor] = process.versions.node.split(".").map(Number);
if (!(major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21))) {
  console.error(
    `svc needs Node.js 22.21 or later, or 24.5 or later; this is ${process.version}. Install a newer one: https://nodejs.org`,
  );
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
