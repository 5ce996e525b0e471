import { afterEach, expect, test } from "@jest/globals";
import { defaultProvider } from "./environment-credentials.ts";

const names = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"] as const;

afterEach(() => {
  for (const name of names) delete process.env[name];
});

test.each([
  [["id", "secret", "session"], { accessKeyId: "id", secretAccessKey: "secret", sessionToken: "session" }],
  [["id", "secret", ""], { accessKeyId: "id", secretAccessKey: "secret" }],
  [["", "secret", "session"], undefined],
  [["id", "", "session"], undefined],
])("the environment %j has these credentials", async (values, credentials) => {
  for (const [index, name] of names.entries()) process.env[name] = values[index];
  const found = defaultProvider()();
  if (credentials) expect(await found).toEqual(credentials);
  else await expect(found).rejects.toThrow("The environment has none.");
});
