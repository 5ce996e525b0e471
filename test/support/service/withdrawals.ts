import type { CurrentRelease } from "../../../functions/entities/project.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { itemsOf, storedItem } from "../table/stored.ts";
import type { Owner } from "./operations.ts";
import type { TestService } from "./service.ts";
import { manifestOf, publish } from "./steps.ts";

/** A release that was live, with the digest of its manifest. */
export interface PastRelease {
  readonly id: string;
  readonly digest: string;
}

/** Steps of the tests of withdrawals with the releases of a project, and what they see of it. */
export function withdrawalsOf(service: TestService, ada: Owner) {
  /** A page, and a file of its own. */
  const game = (page: string) => ({ "index.html": page, "data.txt": `data of ${page}` });
  const releasePath = (id: string) => `/projects/${ada.slug}/releases/${id}`;
  const published = async (page: string): Promise<PastRelease> => {
    const id = await publish(ada, ada.slug, game(page));
    return { id, digest: String((await storedItem(service, keys.release(ada.slug, id)))?.["manifest"]) };
  };
  return {
    game,
    published,
    releasePath,
    withdraw: (id: string, as: Pick<Owner, "post"> = ada) => as.post(`${releasePath(id)}/withdraw`),
    open: (page: string, request = {}) =>
      ada.post(`/projects/${ada.slug}/releases`, { files: manifestOf(game(page)), ...request }),
    statusOf: async (id: string) => (await ada.get(releasePath(id))).body.status,
    /** Two releases that were live, and the live one. */
    publishThree: async () => [await published("1"), await published("2"), await published("3")] as const,
    /** The digests with which visits may go on beside the live one. */
    earlier: async (): Promise<readonly string[] | undefined> => {
      const project = await storedItem(service, keys.project(ada.slug));
      return (project?.["currentRelease"] as CurrentRelease | undefined)?.earlier;
    },
    /** Their events in the owner's history. */
    withdrawals: async () => {
      const items = await itemsOf(service, keys.account(accountKey(service.issuer, ada.uid)).PK);
      return items.filter(({ type }) => type === "release_withdrawn");
    },
  };
}
