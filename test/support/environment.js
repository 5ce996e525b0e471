import { TestEnvironment } from "jest-environment-node";

/** The service of this worker, once a test file has asked for it. */
let shared;

/**
 * jest's environment for Node, with a service that the test files of a worker share: each of them may make projects and
 * accounts of its own in it. It does not keep the worker alive, and ends with it.
 */
export default class SharingEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.sharedService = () => {
      shared ??= start();
      return shared;
    };
  }
}

async function start() {
  const { startServiceProcess } = await import("./service-process.ts");
  const service = await startServiceProcess();
  const { process: child } = service;
  for (const handle of [child, child.channel, child.stdout, child.stderr]) handle.unref();
  return service;
}
