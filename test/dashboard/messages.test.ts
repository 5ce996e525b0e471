import { expect, test } from "@jest/globals";
import { errors } from "../../contract/errors.ts";
import { ApiError } from "../../dashboard/src/api-error.ts";
import { messageOf } from "../../dashboard/src/messages.ts";

/** What only a program that calls the API can make sense of. */
const forPrograms = /\b(GET|POST|PATCH|DELETE) \/|[a-z]_[a-z]|schema|header|JSON|\bID token\b|request body|`/;

test.each(Object.entries(errors))("a person who meets %s is not sent to the API", (code, { detail }) => {
  expect(messageOf(new ApiError({ code: code as keyof typeof errors, detail }))).not.toMatch(forPrograms);
});

test("a form is called wrong only where it marks a field", () => {
  const at = (pointer: string) =>
    messageOf(
      new ApiError({ code: "validation_failed", detail: "", errors: [{ pointer, detail: "must not be empty" }] }),
    );
  expect(at("/name")).toBe("Something in the form is not right. Correct the marked fields.");
  expect(at("/code_challenge")).toBe("The service refuses this: code_challenge must not be empty.");
});
