import { expect, test } from "@jest/globals";
import { eventsInWords } from "../../contract/api/accounts/event-words.ts";
import { eventRow, type ProjectEvent } from "./event-lines.ts";

const at = "2026-01-01T10:20:30.000Z";
/** The fields of a person that an event's line reads: a new field of theirs changes nothing here. */
const grace = { uid: "g", name: "Grace", display_name: null } as NonNullable<ProjectEvent["by"]>;
const event = (fields: Partial<ProjectEvent>): ProjectEvent => ({
  ...{ id: "e", type: "release_published", at, by: null },
  ...fields,
});

test.each<[string, Partial<ProjectEvent>, string | undefined]>([
  ["a person", { by: grace }, "by Grace"],
  ["a developer with a public name", { by: { ...grace, display_name: "Grace's Games" } }, "by Grace's Games"],
  ["a CI job", { publisher_id: "p", token_id: "t" }, "by a CI job, token t"],
  ["the operator, or a deleted account", {}, undefined],
])("an event says that it was caused by %s", (_, fields, below) => {
  expect(eventRow(event(fields)).below).toBe(below);
});

test("each kind of event has words of its own", () => {
  const words = Object.values(eventsInWords);
  expect(words.filter((each, index) => words.indexOf(each) !== index)).toEqual([]);
});

test("an event names its member, also one whose account is deleted, and no member of an invitation by a link", () => {
  const what = (fields: Partial<ProjectEvent>) => eventRow(event({ type: "member_removed", ...fields })).cells[1];
  expect(what({ member: grace })).toBe("Member of a project removed, or project left · Grace");
  expect(what({ member: null })).toMatch(/ · somebody whose account is deleted$/);
  const invited = event({ type: "invitation_created", role: "publisher" });
  expect(eventRow(invited).cells).toEqual(["2026-01-01 10:20", "Somebody invited to a project as publisher"]);
});
