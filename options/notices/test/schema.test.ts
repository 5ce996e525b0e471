import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import * as z from "zod";
import { notice, noticeType } from "../contract/notice.ts";
import { documentedNotice, documentedSchema } from "./support/documented-notice.ts";

/* The schema in docs/notices.md is the one that subscribers rely on. */

const guide = readFileSync("docs/notices.md", "utf8");
const [, exampleText = ""] = /```json\n([\s\S]*?)```/.exec(guide) ?? [];
const example = JSON.parse(exampleText);

test("the documented schema is the one that notices have", () => {
  const made = z.toJSONSchema(notice, {
    target: "draft-2020-12",
    override: ({ jsonSchema }) => {
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
      // A subscriber must accept fields that are added later.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  expect(documentedSchema).toEqual(JSON.parse(JSON.stringify(made)));
});

test("every type is in the table", () => {
  for (const type of noticeType.options) expect(guide).toContain(`\n| \`${type}\` |`);
});

test("a notice has no field that is not documented", () => {
  expect(notice.safeParse(example).success).toBe(true);
  for (const more of [{ token: { id: "t", name: "CI" } }, { email: "ada@example.test" }])
    expect({ more, isTaken: notice.safeParse({ ...example, ...more }).success }).toEqual({ more, isTaken: false });
});

test("the documented schema accepts the example, also with a field that is added later, and no other change of it", () => {
  expect(documentedNotice.safeParse({ ...example, added: "later" }).success).toBe(true);
  for (const wrong of [{ version: 2 }, { type: "token_eaten" }, { at: "yesterday" }, { account: {} }, { token: {} }])
    expect({ wrong, isTaken: documentedNotice.safeParse({ ...example, ...wrong }).success }).toEqual({
      wrong,
      isTaken: false,
    });
  for (const field of ["version", "id", "type", "at", "account"]) {
    const { [field]: _, ...rest } = example;
    expect({ field, isTaken: documentedNotice.safeParse(rest).success }).toEqual({ field, isTaken: false });
  }
});
