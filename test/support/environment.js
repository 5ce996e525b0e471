import { TestEnvironment } from "jest-environment-node";

/** The services of this worker, once a test file has asked for them. */
let shared;
let recorded;

/** The issuers of CI jobs that the recorded service knows. */
let issuers;

/**
 * jest's environment for Node, with services that the test files of a worker share: each of them may make projects and
 * accounts of its own in them. They do not keep the worker alive, and end with it.
 */
export default class SharingEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.sharedService = share;
    this.global.sharedRecordedService = () => {
      recorded ??= startRecorded();
      return recorded;
    };
    this.global.sharedJobIssuers = shareJobIssuers;
  }
}

/** Ends the shared services; who asks next gets new ones. */
export async function stopSharedServices() {
  const services = [recorded, shared];
  recorded = undefined;
  shared = undefined;
  for (const service of services) await (await service)?.stop();
}

function share() {
  shared ??= start();
  return shared;
}

export function shareJobIssuers() {
  issuers ??= import("./identity/jobs.ts").then(({ startJobIssuers }) => startJobIssuers());
  return issuers;
}

/** A second service, on a table of its own in the engine of the first, with a recorder between. */
async function startRecorded() {
  const { startRecorder } = await import("./table/dynamodb-recorder.ts");
  const engine = (await share()).details.dynamodbEndpoint;
  const recorder = await startRecorder(engine);
  const { env } = await shareJobIssuers();
  return { ...(await start({ dynamodbEndpoint: recorder.endpoint, env })), recorder, engine };
}

async function start(options) {
  const { startServiceProcess } = await import("./service/service-process.ts");
  const service = await startServiceProcess(options);
  const { process: child } = service;
  for (const handle of [child, child.channel, child.stdout, child.stderr]) handle.unref();
  return service;
}
