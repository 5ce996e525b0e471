import { afterAll, afterEach, beforeAll, beforeEach, expect } from "@jest/globals";
import { type CliUser, createCliUser } from "../cli/cli.ts";
import { startRecordedStore } from "../store/store-recorder.ts";
import { emptyTable, lastingItems } from "../table/stored.ts";
import { actorsOf } from "./actors.ts";
import { functionEnvironment } from "./function-environment.ts";
import type { Owner } from "./operations.ts";
import { type RecordedService, shareRecordedService, startRecordedService } from "./recorded-service.ts";
import { type ServiceOptions, shareService, startService, type TestService } from "./service.ts";
import { newProject } from "./steps.ts";

/**
 * Starts something before the tests of a file and stops it after them.
 *
 * @returns what was started, for use in tests and hooks: it has no members before
 */
export function duringTests<T extends { stop(): Promise<void> }>(start: () => Promise<T>): T {
  const handle = {} as T;
  beforeAll(async () => {
    // Getters stay getters.
    Object.defineProperties(handle, Object.getOwnPropertyDescriptors(await start()));
  });
  afterAll(async () => {
    // If it did not start, the tests have failed already.
    await (handle as Partial<T>).stop?.();
  });
  return handle;
}

/** A service for the tests of a file: one of their own if there are options, else one that files share. */
export function useService(options?: ServiceOptions): TestService {
  return duringTests(() => keepingLifetimes(options === undefined ? shareService() : startService(options)));
}

/** The same, whose calls to DynamoDB are recorded. */
export function useRecordedService(options?: Pick<ServiceOptions, "env">): RecordedService {
  return duringTests(() =>
    keepingLifetimes(options === undefined ? shareRecordedService() : startRecordedService(options)),
  );
}

/** A recorded service for tests that sweep in the future: its store takes requests that are signed at any time. */
export function useServiceOfAnyTime(): RecordedService {
  const store = duringTests(() => startRecordedStore(undefined, { skewMilliseconds: Number.POSITIVE_INFINITY }));
  return duringTests(() => keepingLifetimes(startRecordedService({ env: { S3_ENDPOINT: store.endpoint } })));
}

/**
 * Checks at the end of a file that every time to live in the table is in epoch seconds: milliseconds keep an item for good, and break no
 * test.
 */
async function keepingLifetimes<S extends TestService>(starting: Promise<S>): Promise<S> {
  const service = await starting;
  const stop = async () => {
    const { exitCode, signalCode } = service.process;
    const hasStopped = exitCode !== null || signalCode !== null;
    const lasting = hasStopped ? [] : await lastingItems(service);
    await service.stop();
    expect(lasting).toEqual([]);
  };
  return Object.defineProperties({} as S, { ...Object.getOwnPropertyDescriptors(service), stop: { value: stop } });
}

/** The shared one with recorded calls, for a file that examines the whole table: what earlier files left there is deleted. */
export function useEmptiedService(): RecordedService {
  return duringTests(async () => {
    const service = await shareRecordedService();
    await emptyTable(service);
    return service;
  });
}

/** Lets the tests of a file call the functions in this process, with the table, store and provider of a service. */
export function useFunctionEnvironment(service: TestService, settings = (): Record<string, string> => ({})): void {
  beforeEach(() => {
    Object.assign(process.env, functionEnvironment(service), settings());
  });
}

/** A developer with a project: new ones for each test, or one for all tests if `hook` is `beforeAll`. */
export function useOwner(service: TestService, hook: typeof beforeEach = beforeEach): Owner {
  const owner = {} as Owner;
  hook(async () => {
    const developer = await actorsOf(service).developer();
    Object.assign(owner, developer, { slug: await newProject(developer) });
  });
  return owner;
}

/** A developer, the same for the tests of a file, with a new project for each: for tests that do not look at the account. */
export function useSharedOwner(service: TestService): Owner {
  const owner = {} as Owner;
  beforeAll(async () => {
    Object.assign(owner, await actorsOf(service).developer());
  });
  beforeEach(async () => {
    Object.assign(owner, { slug: await newProject(owner) });
  });
  return owner;
}

/** A user of the command line: a new one for each test, with a home directory of its own. */
export function useCliUser(options?: Parameters<typeof createCliUser>[0]): CliUser {
  let user: CliUser;
  beforeEach(() => {
    user = createCliUser(options);
  });
  afterEach(() => user.leave());
  return {
    get home() {
      return user.home;
    },
    get credentialFile() {
      return user.credentialFile;
    },
    run: (...words) => user.run(...words),
    leave: () => user.leave(),
  };
}

/** @returns a function that keeps a server which is starting until the test ends, and stops it then */
export function useServers(): <S extends { stop(): Promise<void> }>(starting: Promise<S>) => Promise<S> {
  const servers: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });
  return async (starting) => {
    const server = await starting;
    servers.push(server);
    return server;
  };
}
