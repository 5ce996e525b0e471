import type { GamesStore } from "../../support/service/games-store.ts";
import type { TestService } from "../../support/service/service.ts";
import { arePointersWritten, everyItem } from "../../support/table/stored.ts";
import { checked } from "./calls.ts";
import { brokenByPointer } from "./claims.ts";

/** A fault lasts six seconds, and a writer that was killed begins anew. */
const longestSeconds = 30;

/** Of a service with this store at its games' edge. */
export function edgeEnvironment({ endpoint }: GamesStore) {
  return { GAMES_STORE_ENDPOINT: endpoint, SVC_POINTERS_SECONDS: "1" };
}

/** What the edge has that is not what a project is, once all pointers are written; nothing else runs meanwhile. */
export async function brokenPointers(service: TestService, { store }: GamesStore): Promise<string[]> {
  if (!(await arePointersWritten(service, longestSeconds))) return [`pointers wait for more than ${longestSeconds} s`];
  const edge = store.edge(0);
  const projects = (await everyItem(service)).filter(({ SK }) => SK === "PROJECT");
  checked.pointers += projects.length;
  return projects.flatMap((project) => brokenByPointer(project, edge.get(String(project["slug"]))) ?? []);
}
