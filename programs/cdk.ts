import { useCompileCache } from "../infra/stacks/compile-cache.ts";

/*
 * The program that `cdk` runs. The compile cache saves half a second of each later synth; it must be enabled before everything
 * else is loaded.
 */
useCompileCache();
await import("./stack-options.ts");
const { synthesiseApp } = await import("../infra/stacks/cdk-app.ts");
await synthesiseApp();
