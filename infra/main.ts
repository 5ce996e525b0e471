import { keepCompiledCode } from "./compile-cache.ts";

/*
 * What `cdk` runs. Kept compiled code saves half a second of each later synth; it must be switched on before everything
 * else is loaded.
 */
keepCompiledCode();
const { synthesiseApp } = await import("./cdk-app.ts");
await synthesiseApp();
