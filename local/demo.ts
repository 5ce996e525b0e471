import { useCompileCache } from "../infra/stacks/compile-cache.ts";

/* `npm run demo`: npm start, with an example game of Ada's published and a link that signs in as her. */
useCompileCache();
const { runUntilStopped } = await import("./run.ts");
await runUntilStopped({ isDemo: true });
