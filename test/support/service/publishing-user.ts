import { join } from "node:path";
import { beforeAll, beforeEach, expect } from "@jest/globals";
import { type CliResult, type CliRun, type CliUser, type Files, writeFiles } from "../cli/cli.ts";
import { actorsOf, type Developer, type TokenActor } from "./actors.ts";
import type { TestService } from "./service.ts";
import { newProject } from "./steps.ts";
import { useCliUser, useService } from "./suite.ts";

/** A developer who publishes with the command line: each test has an empty home directory and a new project. */
export interface PublishingUser {
  readonly service: TestService;
  readonly developer: Developer;
  readonly token: TokenActor;
  readonly person: CliUser;
  readonly slug: string;
  /** Runs `svc` with a token of the developer. */
  svc(args: readonly string[], options?: CliRun): Promise<CliResult>;
  /** Publishes the folder `game` with --json. */
  publish(...args: string[]): Promise<CliResult>;
  write(files: Files, folder?: string): void;
  /** Reads a file of the live release, as anybody may. */
  readLive(path: string): Promise<{ status: number; body: Buffer }>;
  expectLive(files: Files): Promise<void>;
}

/** An account has no more. */
const projectsOfAccount = 50;

/** A developer who publishes to this service, by default to the shared one. After 50 tests another one does. */
export function usePublishingUser(service = useService()): PublishingUser {
  const person = useCliUser();
  let developer: Developer;
  let token: TokenActor;
  let slug: string;

  let projects = 0;

  const beginAnew = async () => {
    developer = await actorsOf(service).developer();
    token = await developer.token({ scopes: ["publish", "projects"] });
    projects = 0;
  };
  beforeAll(beginAnew);
  beforeEach(async () => {
    if (projects === projectsOfAccount) await beginAnew();
    slug = await newProject(developer);
    projects += 1;
  });

  const svc = (args: readonly string[], options: CliRun = {}) =>
    person.run(args, { ...options, env: { SVC_API: service.api, SVC_TOKEN: token.credential, ...options.env } });
  const readLive = async (path: string) => {
    const encoded = path.split("/").map(encodeURIComponent).join("/");
    const response = await fetch(`${service.api}/projects/${slug}/files/${encoded}`);
    return { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
  };
  return {
    service,
    person,
    get developer() {
      return developer;
    },
    get token() {
      return token;
    },
    get slug() {
      return slug;
    },
    svc,
    publish: (...args) => svc(["publish", "game", "--project", slug, "--json", ...args]),
    write: (files, folder = "game") => writeFiles(join(person.home, folder), files),
    readLive,
    expectLive: async (files) => {
      for (const [name, content] of Object.entries(files)) {
        const { status, body } = await readLive(name);
        expect({ name, status, isSame: body.equals(Buffer.from(content)) }).toEqual({
          name,
          status: 200,
          isSame: true,
        });
      }
    },
  };
}
