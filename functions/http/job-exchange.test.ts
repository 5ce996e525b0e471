import { expect, test } from "@jest/globals";
import { readJobExchange } from "./job-exchange.ts";

const origin = "https://api.example";
const type = "urn:ietf:params:oauth:token-type:id_token";
const whole = { subject_token: "x", subject_token_type: type, resource: `${origin}/projects/game` };

test.each([
  [
    { ...whole, subject_token: undefined },
    "invalid_request",
    "needs subject_token, subject_token_type and one resource",
  ],
  [{ ...whole, scope: "projects" }, "invalid_scope", "the scope preview or publish, and one alone"],
  [{ ...whole, scope: "preview publish" }, "invalid_scope", "and one alone"],
  [{ ...whole, resource: "https://other.example/projects/game" }, "invalid_target", `${origin}/projects/ with the`],
  [{ ...whole, resource: `${origin}/projects/a/b` }, "invalid_target", `${origin}/projects/ with the`],
])("a job that sends %j is refused with %s, and told what to send", async (form, code, detail) => {
  await expect(readJobExchange({ grant_type: "x", ...form } as never, origin)).rejects.toThrow(
    expect.objectContaining({ code, detail: expect.stringContaining(detail) }),
  );
});
