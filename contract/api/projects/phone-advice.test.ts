import { expect, test } from "@jest/globals";
import { phoneAdvice } from "./phone-advice.ts";

test("a phone finds a game of a stage or of a name that resolves, and none below localhost", () => {
  for (const url of ["https://bounce.games.example/", "http://bounce.192-168-1-5.sslip.io:8787/"])
    expect(phoneAdvice(url)).toBeUndefined();
  expect(phoneAdvice("http://bounce.localhost:8787/?a")).toMatch(
    /^A phone does not find bounce\.localhost, .* adb reverse tcp:8787 tcp:8787; .* SVC_HOST/,
  );
});
