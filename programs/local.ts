import { useCompileCache } from "../infra/stacks/compile-cache.ts";

/*
 * `npm start`. The compile cache halves the time until the service is ready; it must be enabled before everything else is
 * loaded.
 */
useCompileCache();
const { localOptions: options } = await import("./local-options.ts");
const { runUntilStopped } = await import("../local/run.ts");
await runUntilStopped({ options });
