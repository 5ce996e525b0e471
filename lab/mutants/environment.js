import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { mixinJestEnvironment } from "@stryker-mutator/jest-runner";
import SharingEnvironment, {
  shareEngine,
  shareJobIssuers,
  stopSharedServices,
} from "../../test/support/environment.js";
import { coveringFiles, readCoveringFiles } from "./covering-files.js";

/** The service of this process, once a test file has asked for it. */
let service;

/** The names of the variables that it has set here; beside a service in a process of its own a test file would not find them. */
let settings = [];

/** The variables that a test file's own service has set here, as they were before. */
const replaced = new Map();

/**
 * The environment of the suites, with the shared service in this process, because Stryker switches a mutant on, and counts what
 * a test reaches, by a variable of the process that runs the tests. With IN_PROCESSES services are processes of their own as in
 * the suites, started again for each mutant: so is what a module evaluates when it is loaded.
 */
class MutantEnvironment extends SharingEnvironment {
  constructor(config, context) {
    super(config, context);
    this.testPath = context.testPath;
    for (const name of settings) delete this.global.process.env[name];
  }

  async setup() {
    this.began = performance.now();
    await super.setup();
    // The functions run outside of jest's realm: they look for Stryker's variable here.
    globalThis.__stryker__ = this.global.__stryker__;
    globalThis.__stryker__.activeMutant = process.env["__STRYKER_ACTIVE_MUTANT__"];
    if (process.env["IN_PROCESSES"] !== undefined) return await forgetServices(globalThis.__stryker__.activeMutant);
    this.global.sharedService = share;
    this.global.sharedRecordedService = share;
    this.global.ownService = startOwn;
    // A file that a mutant has stopped may not have stopped its own service.
    restoreVariables();
  }

  /** The first test that notices a mutant is enough. A test that fails without a mutant shows nothing: it is left out. */
  async handleTestEvent({ name, test }) {
    const isWithMutant = globalThis.__stryker__.activeMutant !== undefined;
    if (name === "test_done" && test.errors.length > 0) {
      if (isWithMutant) this.hasNoticed = true;
      else this.#leaveOut(test);
    }
    if (name === "test_start" && isWithMutant && (this.hasNoticed || this.#isLeftOut(test))) test.mode = "skip";
  }

  #leaveOut(test) {
    appendFileSync(process.env["LEFT_OUT"], `${this.testPath}: ${test.name}\n`);
    // Stryker starts with no mutant if a test fails without one.
    test.errors.length = 0;
  }

  #isLeftOut(test) {
    return readFileSync(process.env["LEFT_OUT"], "utf8").split("\n").includes(`${this.testPath}: ${test.name}`);
  }

  async teardown() {
    if (globalThis.__stryker__.activeMutant === undefined) this.#noteCoverage();
    await super.teardown();
  }

  /** Adds this file to those of each mutant that its tests have reached. */
  #noteCoverage() {
    const files = readCoveringFiles();
    files.milliseconds[this.testPath] = performance.now() - this.began;
    for (const [test, counts] of Object.entries(globalThis.__stryker__.mutantCoverage?.perTest ?? {})) {
      files.tests[test] ??= this.testPath;
      if (files.tests[test] !== this.testPath) continue;
      for (const mutant of Object.keys(counts))
        files.mutants[mutant] = [...new Set([...(files.mutants[mutant] ?? []), this.testPath])];
    }
    writeFileSync(coveringFiles, JSON.stringify(files));
  }
}

export default mixinJestEnvironment(MutantEnvironment);

/** The mutant of the services in processes of their own, which inherit it. */
let mutantOfServices;

async function forgetServices(mutant) {
  if (mutant === mutantOfServices) return;
  mutantOfServices = mutant;
  await stopSharedServices();
}

function share() {
  service ??= start();
  return service;
}

async function start() {
  const [configuration, local, recording, processes] = await Promise.all([
    import("../../local/configuration.ts"),
    import("../../local/service.ts"),
    import("../../test/support/table/dynamodb-recorder.ts"),
    import("../../test/support/service/service-process.ts"),
  ]);
  const output = readOutput();
  const engine = await shareEngine();
  const recorder = await recording.startRecorder(engine);
  const before = { ...process.env };
  const { env } = await shareJobIssuers();
  Object.assign(process.env, processes.serviceEnvironment({ dynamodbEndpoint: recorder.endpoint, env }));
  const { details, stop } = await local.startLocalService(configuration.readConfiguration(process.env));
  settings = Object.keys(process.env).filter((name) => !(name in before));
  return { details, process, output, stop, recorder, engine };
}

/**
 * The service of this process with another table and other settings, because its functions read these when they need them;
 * undefined if that does not do: a warm function keeps the clients of an endpoint, and what it has fetched from a URI.
 */
async function startOwn({ env = {}, dataFolder, dynamodbEndpoint }) {
  const isKept = Object.keys(env).some((name) => /_(ENDPOINT|URI)$/.test(name));
  if (isKept || (dataFolder ?? dynamodbEndpoint) !== undefined) return undefined;
  const { createTable } = await import("../../local/table/create-table.ts");
  const running = await share();
  const tableName = `svc-test-${randomUUID()}`;
  await createTable(running.engine, tableName);
  for (const [name, value] of Object.entries({ ...env, TABLE_NAME: tableName })) {
    if (!replaced.has(name)) replaced.set(name, process.env[name]);
    setVariable(name, value);
  }
  return { ...running, details: { ...running.details, tableName }, stop: async () => restoreVariables() };
}

function restoreVariables() {
  for (const [name, value] of replaced) setVariable(name, value);
  replaced.clear();
}

function setVariable(name, value) {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

/** @returns a function that returns what this process has written since */
function readOutput() {
  let text = "";
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream);
    stream.write = (chunk, ...rest) => {
      text += chunk;
      return write(chunk, ...rest);
    };
  }
  return () => text;
}
