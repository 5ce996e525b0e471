import { enableCompileCache } from "node:module";

/*
 * What `cdk` runs. What Node has compiled of the CDK is kept in the system's temporary folder, which saves half a second of
 * each later synth; it must be switched on before everything else is loaded.
 */
enableCompileCache();
const { synthesiseApp } = await import("./cdk-app.ts");
await synthesiseApp();
