import { expect, test } from "@jest/globals";
import { type BuildOptions, build } from "esbuild";
import { leanSdk } from "./lean-sdk.ts";

const options: BuildOptions = {
  bundle: true,
  platform: "node",
  format: "esm",
  mainFields: ["module", "main"],
  write: false,
  metafile: true,
  logLevel: "silent",
};

async function mistakesIn(contents: string): Promise<string[]> {
  const stdin = { contents, resolveDir: "functions/table" };
  const result = await build({ ...options, stdin, plugins: [leanSdk] }).catch((error) => error);
  return result.errors.map(({ text }: { text: string }) => text);
}

const sentence = (part: string) => `${part} is left out of no bundle: see infra/bundles/lean-sdk.ts`;

test("the build fails if a part of the SDK that should be removed is not found", async () => {
  expect(await mistakesIn("console.log(1)")).toEqual([
    sentence("@aws-sdk/credential-provider-node"),
    sentence("@smithy/core/event-streams"),
    sentence("package.json of an AWS client"),
  ]);
});

test("the build fails if the event streams are imported at start-up, which a function could not do", async () => {
  const mistakes = await mistakesIn(
    'import * as streams from "@smithy/core/event-streams"; import "@aws-sdk/credential-provider-node"; import info from "@aws-sdk/client-dynamodb/package.json"; console.log(streams, info)',
  );
  expect(mistakes).toEqual([sentence("@smithy/core/event-streams")]);
});

test("a client of the SDK has all these parts", async () => {
  expect(await mistakesIn('export { DynamoDBClient } from "@aws-sdk/client-dynamodb"')).toEqual([]);
});
