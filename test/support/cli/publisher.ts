import type { MisbehavingServer } from "../network/misbehaving-server.ts";
import { useCliUser, useServers } from "../service/suite.ts";
import { inventToken, publishResult, writeFiles } from "./cli.ts";
import { type PublishingBehaviour, startPublishingApi } from "./publishing-api.ts";

/** Runs `svc` with a folder `game` and a token, against servers that each test starts. */
export function usePublisher() {
  const token = inventToken();
  const person = useCliUser();
  const keep = useServers();

  const run = (api: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    writeFiles(`${person.home}/game`, { "index.html": "<h1>Game</h1>" });
    return person.run([...args, "--json"], { env: { SVC_API: api, SVC_TOKEN: token, ...env } });
  };
  const publishTo = async (behaviour: PublishingBehaviour, env: Readonly<Record<string, string>> = {}) => {
    const server: MisbehavingServer = await keep(startPublishingApi(behaviour));
    const result = await run(server.origin, ["publish", "game", "--project", "game"], env);
    return { code: result.code, result: publishResult(result), requests: server.requests, server };
  };
  return { person, keep, run, publishTo };
}
