import { useCompileCache } from "../infra/stacks/compile-cache.ts";

/* `npm run demo`: npm start, with an example game of Ada's published and a link that signs in as her. */
useCompileCache();
// With an argument it does not start: that is help, or a mistake.
if (process.argv[2] === undefined)
  console.error("Starting svc with an example game. In a new clone this takes a minute…");
const { localOptions: options } = await import("./local-options.ts");
const { runUntilStopped } = await import("../local/run.ts");
await runUntilStopped({ options, isDemo: true });
