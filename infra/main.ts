import { useCompileCache } from "./stacks/compile-cache.ts";

/*
 * The program that `cdk` runs. The compile cache saves half a second of each later synth; it must be enabled before everything
 * else is loaded.
 */
useCompileCache();
const { synthesiseApp } = await import("./stacks/cdk-app.ts");
await synthesiseApp();
