import { beforeAll } from "@jest/globals";
import { actorsOf, type Developer, type TokenActor } from "../service/actors.ts";
import type { TestService } from "../service/service.ts";
import { useCliUser } from "../service/suite.ts";
import { type CliResult, type CliRun, type CliUser, credentialFileWith, saveCredentials } from "./cli.ts";

/** A developer with a token, who uses the command line with one service. */
export interface CliSession {
  /** The user of the test that runs, who is not logged in. */
  readonly person: CliUser;
  readonly developer: Developer;
  /** Its name is laptop. */
  readonly token: TokenActor;
  /** Runs svc against the service. */
  svc(args: readonly string[], options?: CliRun): Promise<CliResult>;
  /** Saves the developer's token without a login. */
  save(): void;
  /** Logs in with a token: by default the developer's. */
  login(credential?: string, ...flags: string[]): Promise<CliResult>;
}

export function useCliSession(service: TestService): CliSession {
  let developer: Developer;
  let token: TokenActor;
  const person = useCliUser();
  beforeAll(async () => {
    developer = await actorsOf(service).developer();
    token = await developer.token({ name: "laptop" });
  });
  const svc = (args: readonly string[], options: CliRun = {}) =>
    person.run(args, { ...options, env: { SVC_API: service.api, ...options.env } });
  return {
    person,
    get developer() {
      return developer;
    },
    get token() {
      return token;
    },
    svc,
    save: () => saveCredentials(person, credentialFileWith(service.api, token.credential)),
    login: (credential = token.credential, ...flags) =>
      svc(["login", "--token", "-", ...flags], { input: `${credential}\n` }),
  };
}
