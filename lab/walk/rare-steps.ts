import { type Actors, actorsOf } from "../../test/support/service/actors.ts";
import type { CheckedResponse } from "../../test/support/service/checked-request.ts";
import { play } from "../../test/support/service/play.ts";
import type { TestService } from "../../test/support/service/service.ts";
import { newProject, publish } from "../../test/support/service/steps.ts";
import { brokenByDeletion, brokenByUse, type DeletionHistory, mayBeUnreadable } from "./claims.ts";
import { checked, claim, expectStatus, type Measurements, type TimedResponse } from "./measurements.ts";

/*
 * Steps of clients with a developer of their own, because each takes away what other clients would use.
 */

/** Response that a player gets at the page's URL. */
export async function visitGame(service: TestService, slug: string): Promise<CheckedResponse> {
  const { status, body } = await play(service, slug, { path: "/index.html" }).catch((cause) => {
    throw new Error("fetch failed", { cause });
  });
  return { status, headers: new Headers(), body: body.toString() };
}

/** Sends requests one after the other while something happens, and one afterwards. */
async function meanwhile(
  request: () => Promise<TimedResponse>,
  happens: () => Promise<void>,
): Promise<TimedResponse[]> {
  const responses: TimedResponse[] = [];
  let isOver = false;
  const requesting = (async () => {
    while (!isOver) responses.push(await request());
  })();
  // It is awaited below, unless the other action fails first; that failure says more.
  requesting.catch(() => undefined);
  try {
    await happens();
  } finally {
    isOver = true;
  }
  await requesting;
  return [...responses, await request()];
}

/** Visitors do not find a deleted project, and find a restored one. */
export async function deleteAndRestore(service: TestService, measurements: Measurements): Promise<void> {
  const developer = await actorsOf(service).developer();
  const slug = await newProject(developer);
  await publish(developer, slug, { "index.html": slug });
  const history: Partial<DeletionHistory> = {};
  const visit = () => measurements.timed("GET of the game's page", () => visitGame(service, slug));
  const visits = await meanwhile(visit, async () => {
    const deletion = await measurements.timed("DELETE /projects/:slug", () => developer.delete(`/projects/${slug}`));
    expectStatus(deletion, 200);
    history.deleted = deletion.span;
    const restoration = await measurements.timed("POST …/restore", () => developer.post(`/projects/${slug}/restore`));
    expectStatus(restoration, 200);
    history.restored = restoration.span;
  });
  for (const { status, span } of visits) {
    if (status === 503 && !mayBeUnreadable(history as DeletionHistory, span))
      throw new Error("GET of the game's page responded with 503");
    claim(brokenByDeletion(history as DeletionHistory, span, status));
  }
  checked.deletions += 1;
}

/** During the overlap a token that was replaced works, and so does the new one. */
export async function replaceWhileUsed(actors: Actors, measurements: Measurements): Promise<void> {
  const developer = await actors.developer();
  const old = await developer.token();
  let raw = "";
  const created = { sentAt: 0, respondedAt: 0 };
  const use = (credential: string) => measurements.timed("GET /me by PAT", () => actors.bearer(credential).get("/me"));
  const uses = await meanwhile(
    () => use(old.credential),
    async () => {
      const path = `/tokens/${old.id}/replacement`;
      const replacement = await measurements.timed("POST …/replacement", () => developer.post(path));
      expectStatus(replacement, 201);
      raw = replacement.body.token;
    },
  );
  for (const { status, span } of [...uses, await use(raw)]) {
    if (status === 503) throw new Error("GET /me by PAT responded with 503");
    claim(brokenByUse({ created }, span, status));
  }
  checked.replacements += 1;
}
