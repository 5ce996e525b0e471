import { expect, test } from "@jest/globals";
import { exampleToken as token } from "../../contract/api/tokens/tokens.ts";
import { readCredential } from "./credential.ts";

async function outcomeOf(authorization: string | undefined): Promise<string | undefined> {
  try {
    return (await readCredential({ authorization })).kind;
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

test.each([
  [`Bearer ${token}`, "token"],
  [`bEARER  ${token}  `, "token"],
  [undefined, "credential_missing"],
  ["  ", "credential_missing"],
  [`X Bearer ${token}`, "credential_malformed"],
  [token, "credential_malformed"],
  ["Bearer", "credential_malformed"],
  ["Bearer pat_one two", "credential_malformed"],
  [`Bearer${token}`, "credential_malformed"],
  [`Bearer\t${token}`, "credential_malformed"],
  [`Bearer ${token}, Bearer ${token}`, "credential_malformed"],
  [`Bearer ${token}=x`, "credential_malformed"],
  [`Bearer ${token}\n`, "credential_malformed"],
  [`Bearer "${token}"`, "credential_malformed"],
  // A token68 may end in more than one "=", and no character of it makes the header malformed.
  ["Bearer pat_aZ0.~+/-_==", "token_invalid"],
  [`Bearer ${token}x`, "token_invalid"],
])("the header %j is %s", async (authorization, outcome) => {
  expect(await outcomeOf(authorization)).toBe(outcome);
});
