import { expect, test } from "@jest/globals";
import { crashesOf } from "./crashes.ts";

const agents = {
  "Chrome on Android": [
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36",
    "phone",
    "chromium",
  ],
  "Chrome on an Android tablet": [
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
    "tablet",
    "chromium",
  ],
  "Edge on Windows": [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0",
    "desktop",
    "chromium",
  ],
  "Firefox on Linux": ["Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0", "desktop", "firefox"],
  "Firefox on an Android tablet": [
    "Mozilla/5.0 (Android 15; Tablet; rv:150.0) Gecko/150.0 Firefox/150.0",
    "tablet",
    "firefox",
  ],
  "Safari on an iPhone": [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1",
    "phone",
    "webkit",
  ],
  "Safari on an iPad": [
    "Mozilla/5.0 (iPad; CPU OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1",
    "tablet",
    "webkit",
  ],
  "a browser that names nothing": ["", "desktop", "other"],
} as const;

test.each(Object.entries(agents))(
  "a crash of %s has its kind of device and its engine",
  (_, [agent, device, engine]) => {
    expect(crashesOf([{ type: "crash", user_agent: agent, body: { reason: "oom" } }])).toEqual([
      { reason: "oom", device, engine },
    ]);
  },
);

test.each([
  ["oom", "oom"],
  ["unresponsive", "unresponsive"],
  ["a reason of a later browser", "other"],
  [null, "other"],
  [undefined, "other"],
])("the reason %s is %s", (reason, expected) => {
  expect(crashesOf([{ type: "crash", body: { reason } }])).toMatchObject([{ reason: expected }]);
});

test("a crash without body and agent is one all the same, and no other report is", () => {
  const others = ["deprecation", "intervention", "csp-violation", "Crash", ""].map((type) => ({ type }));
  expect(crashesOf([...others, { type: "crash" }])).toEqual([{ reason: "other", device: "desktop", engine: "other" }]);
  expect(crashesOf([])).toEqual([]);
});

test("of URL, address, agent and referrer nothing is kept", () => {
  const body = {
    reason: "oom",
    referrer: "https://elsewhere.example/",
    stack: "at secret (https://star.example/a.js)",
  };
  const report = { type: "crash", url: "https://star.example/?code=1", user_agent: "Firefox/150.0", body };
  expect(crashesOf([report])).toEqual([{ reason: "oom", device: "desktop", engine: "firefox" }]);
});
