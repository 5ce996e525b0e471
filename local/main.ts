import { enableCompileCache } from "node:module";

/*
 * `npm start`. What Node has compiled is kept in the system's temporary folder, which halves the time until a service is
 * ready; it must be switched on before everything else is loaded.
 */
enableCompileCache();
const { runUntilTold } = await import("./run.ts");
await runUntilTold();
