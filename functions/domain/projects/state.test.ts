import { expect, test } from "@jest/globals";
import type { Project } from "../../entities/project.ts";
import { openPreviews, restorableUntil } from "./state.ts";

test("a deleted project can be restored for 7 days", () => {
  expect(restorableUntil("2026-01-01T12:00:00.000Z")).toEqual(new Date("2026-01-08T12:00:00.000Z"));
});

const end = new Date("2026-01-01T00:00:00.000Z");
const previews = [60, 0].map((later) => ({ releaseId: "1", manifest: "1", expiresAt: end.getTime() / 1_000 + later }));

test.each([
  ["is played", {}, [60]],
  ["is deleted", { deletedAt: "2026-01-01T00:00:00.000Z" }, []],
  ["is suspended", { suspension: { at: "2026-01-01T00:00:00.000Z", reason: "spam" } }, []],
  ["never had one", { previews: undefined }, []],
])("of a project that %s the previews that end later are open", (_, attributes, later) => {
  const open = openPreviews({ previews, ...attributes } as unknown as Project, end);
  expect(open.map(({ expiresAt }) => expiresAt - end.getTime() / 1_000)).toEqual(later);
});
