import { writeFileSync } from "node:fs";
import { mixinJestEnvironment } from "@stryker-mutator/jest-runner";
import SharingEnvironment from "../support/environment.js";
import { coveringFiles, readCoveringFiles } from "./covering-files.js";

/** The service of this process, once a test file has asked for it. */
let service;

/**
 * The environment of the suites, with the shared service in this process, because Stryker switches a mutant on, and counts what
 * a test reaches, by a variable of the process that runs the tests.
 */
class MutantEnvironment extends SharingEnvironment {
  constructor(config, context) {
    super(config, context);
    this.testPath = context.testPath;
  }

  async setup() {
    await super.setup();
    // The functions run outside of jest's realm: they look for Stryker's variable here.
    globalThis.__stryker__ = this.global.__stryker__;
    globalThis.__stryker__.activeMutant = process.env["__STRYKER_ACTIVE_MUTANT__"];
    this.global.sharedService = share;
    this.global.sharedRecordedService = share;
  }

  async teardown() {
    if (globalThis.__stryker__.activeMutant === undefined) this.#noteCoverage();
    await super.teardown();
  }

  /** Adds this file to those of each mutant that its tests have reached. */
  #noteCoverage() {
    const files = readCoveringFiles();
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

function share() {
  service ??= start();
  return service;
}

async function start() {
  const [configuration, local, table, recording, processes] = await Promise.all([
    import("../../local/configuration.ts"),
    import("../../local/service.ts"),
    import("../../local/table/dynamodb-engine.ts"),
    import("../support/table/dynamodb-recorder.ts"),
    import("../support/service/service-process.ts"),
  ]);
  const output = readOutput();
  const { endpoint: engine } = await table.startDynamodbEngine();
  const recorder = await recording.startRecorder(engine);
  Object.assign(process.env, processes.serviceEnvironment({ dynamodbEndpoint: recorder.endpoint }));
  const { details, stop } = await local.startLocalService(configuration.readConfiguration(process.env));
  return { details, process, output, stop, recorder, engine };
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
