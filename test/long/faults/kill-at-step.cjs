// Loaded into svc before anything else (`node --require`): kills it, as kill -9 does, before the KILL_AT_STEP-th call of
// a synchronous function of node:fs, counted from 0. A write is half done then. Otherwise it prints to standard error
// how many calls there were.
const fs = require("node:fs");
const killAt = Number(process.env.KILL_AT_STEP);
let step = 0;

for (const [name, original] of Object.entries(fs)) {
  if (!name.endsWith("Sync")) continue;
  const counted = (...args) => {
    if (step === killAt) {
      if (name === "writeFileSync") original(args[0], String(args[1]).slice(0, 50));
      process.kill(process.pid, "SIGKILL");
    }
    step += 1;
    return original(...args);
  };
  fs[name] = Object.assign(counted, original);
}

process.on("exit", () => process.stderr.write(`${step} steps\n`));
