import { serveChromium } from "./chromium.ts";

/* The Chromium of the test files of one worker (test/support/environment.js): it ends with the process that has started this one. */

const server = await serveChromium();
process.on("disconnect", () => void server.close());
process.send?.(server.wsEndpoint());
