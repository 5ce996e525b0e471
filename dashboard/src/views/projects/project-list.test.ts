import { expect, test } from "@jest/globals";
import { isFound, type ListedProject, orders, shownLists } from "./project-list.ts";

const project = (changes: object) =>
  ({
    ...{ slug: "star-catcher", name: "Star Catcher", description: "Étoiles for two", current_release: null },
    ...{ suspension: null, traffic_limited_until: null, plays: 0, previews: 0, people: 1 },
    ...changes,
  }) as ListedProject;

const live = { current_release: { id: "1", published_at: "2026-01-01T00:00:00.000Z" } };
const suspension = { at: "2026-01-01T00:00:00.000Z", reason: "spam" };

test.each([
  ["that is live", live, ["all", "live"]],
  ["without a release", {}, ["all", "offline"]],
  ["with a preview", { previews: 1 }, ["all", "previews", "offline"]],
  ["that is suspended", { ...live, suspension }, ["all", "attention"]],
  [
    "whose traffic is used up",
    { ...live, traffic_limited_until: "2999-01-01T00:00:00.000Z" },
    ["all", "live", "attention"],
  ],
  ["whose traffic was used up", { ...live, traffic_limited_until: "2020-01-01T00:00:00.000Z" }, ["all", "live"]],
])("a project %s is in its lists", (_, changes, lists) => {
  const having = Object.entries(shownLists).filter(([, [, has]]) => has(project(changes)));
  expect(having.map(([name]) => name)).toEqual(lists);
});

test.each([
  ["", true],
  ["star", true],
  ["CATCHER star", true],
  ["star-c", true],
  ["étoiles", true],
  ["star kart", false],
])("a search for %j", (search, found) => {
  expect(isFound(project({}), search)).toBe(found);
});

test("the orders: the last change first, by name whatever its case, the most played first", () => {
  const [a, b] = [
    project({ name: "beta", updated_at: "2026-01-02T00:00:00.000Z", plays: 1 }),
    project({ name: "Alpha", updated_at: "2026-01-01T00:00:00.000Z", plays: 2 }),
  ];
  const first = (name: keyof typeof orders) => [a, b].toSorted(orders[name][1])[0]?.name;
  expect([first("changed"), first("name"), first("plays")]).toEqual(["beta", "Alpha", "Alpha"]);
});
