import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { TestEnvironment } from "jest-environment-node";

const require = createRequire(import.meta.url);

/** The engine, the services and the Chromium of this worker, once a test file has asked for them. */
let engine;
let shared;
let recorded;
let chromium;

/** The contract's check of responses, which every request of a test asks for. */
let contractCheck;

/** The library that drives Chromium: a third of what a short test file of a browser takes is to load it. */
let playwright;

/** The issuers of CI jobs that the recorded service knows. */
let issuers;

/**
 * jest's environment for Node, with services that the test files of a worker share: each of them may make projects and
 * accounts of its own in them. They do not keep the worker alive, and end with it.
 */
export default class SharingEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    // Loading the contract takes 110 ms, which every test file with a service would take.
    this.global.contractCheck = () => {
      contractCheck ??= import("./service/contract-check.ts");
      return contractCheck;
    };
    // Loading the CDK takes a second, and each template half of one.
    this.global.synthesiseOnce = (request) => require("./synthesis/templates.ts").synthesiseOnce(request);
    this.global.sharedEngine = shareEngine;
    this.global.sharedService = share;
    this.global.sharedRecordedService = () => {
      recorded ??= startRecorded();
      return recorded;
    };
    this.global.sharedJobIssuers = shareJobIssuers;
    this.global.sharedPlaywright = () => {
      playwright ??= import("playwright-core");
      return playwright;
    };
    this.global.sharedChromium = () => {
      chromium ??= startChromium();
      return chromium;
    };
  }
}

/** Ends the shared services; who asks next gets new ones. */
export async function stopSharedServices() {
  const services = [recorded, shared];
  recorded = undefined;
  shared = undefined;
  for (const service of services) await (await service)?.stop();
}

/** The endpoint of an engine for services that each have a table of their own in it. */
export function shareEngine() {
  engine ??= startEngine();
  return engine;
}

async function startEngine() {
  const given = process.env["DYNAMODB_ENDPOINT"];
  if (given) return given;
  const { startDynamodbEngine } = await import("../../local/table/dynamodb-engine.ts");
  return (await startDynamodbEngine(undefined, { isOpen: true })).endpoint;
}

function share() {
  shared ??= shareEngine().then((dynamodbEndpoint) => start({ dynamodbEndpoint }));
  return shared;
}

export function shareJobIssuers() {
  issuers ??= import("./identity/jobs.ts").then(({ startJobIssuers }) => startJobIssuers());
  return issuers;
}

/** A second service, on a table of its own, with a recorder before the engine. */
async function startRecorded() {
  const { startRecorder } = await import("./table/dynamodb-recorder.ts");
  const engine = await shareEngine();
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

/** The endpoint of a Chromium, in which each test file has contexts of its own; if it ends, the next file gets another one. */
async function startChromium() {
  const program = fileURLToPath(new URL("../browser/shared-chromium.ts", import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const ended = once(child, "exit").then(() => {
    chromium = undefined;
    throw new Error("The shared Chromium has ended");
  });
  ended.catch(() => {});
  const [endpoint] = await Promise.race([once(child, "message"), ended]);
  for (const handle of [child, child.channel]) handle.unref();
  return endpoint;
}
