import { expect, test } from "@jest/globals";
import { actorsOf } from "../../../support/service/actors.ts";
import { liveRelease, makeLive, publications, publish, readyRelease } from "../../../support/service/steps.ts";
import { useOwner, useService } from "../../../support/service/suite.ts";

const service = useService();
const actors = actorsOf(service);
const ada = useOwner(service);

test("of racing calls that expect the same live release one wins, and the others get its id, in 20 races of 4", async () => {
  let live = await publish(ada, ada.slug, { "index.html": "start" });
  const won = [live];
  for (let race = 0; race < 20; race += 1) {
    const ready = await Promise.all([0, 1, 2, 3].map((runner) => readyRelease(ada, ada.slug, `${race} ${runner}`)));
    const responses = await Promise.all(ready.map((id) => makeLive(ada, ada.slug, id, { expect_current: live })));
    const winners = ready.filter((_, index) => responses[index]?.status === 200);
    expect(winners).toHaveLength(1);
    const [winner = ""] = winners;
    for (const { status, body } of responses.filter(({ status }) => status !== 200)) {
      expect({ status, code: body.code }).toEqual({ status: 412, code: "current_release_changed" });
      expect(body.detail).toContain(`Release ${winner} is live`);
    }
    expect(await liveRelease(actors.anonymous, ada.slug)).toBe(winner);
    live = winner;
    won.push(winner);
  }
  expect(await publications(ada, ada.slug)).toEqual(won);
});

test("of racing calls that expect nothing all take place, one after the other", async () => {
  const ready = await Promise.all([0, 1, 2, 3, 4].map((runner) => readyRelease(ada, ada.slug, `${runner}`)));
  const responses = await Promise.all(ready.map((id) => makeLive(ada, ada.slug, id)));
  expect(responses.map(({ status }) => status)).toEqual(ready.map(() => 200));
  const previous = new Map(responses.map(({ body }) => [body.previous_release, body.release.id]));
  const chain: string[] = [];
  for (let next = previous.get(null); next !== undefined; next = previous.get(next)) chain.push(next);
  expect(chain.toSorted()).toEqual(ready.toSorted());
  expect(await liveRelease(actors.anonymous, ada.slug)).toBe(chain.at(-1));
  expect((await publications(ada, ada.slug)).toSorted()).toEqual(ready.toSorted());
});

test("of racing calls with one release all succeed, and it is published once", async () => {
  const id = await readyRelease(ada, ada.slug, "1");
  const responses = await Promise.all(Array.from({ length: 5 }, () => makeLive(ada, ada.slug, id)));
  for (const { status, body } of responses)
    expect({ status, previous: body.previous_release }).toEqual({ status: 200, previous: null });
  expect(await publications(ada, ada.slug)).toEqual([id]);
});
