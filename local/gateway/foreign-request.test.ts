import { describe, expect, test } from "@jest/globals";
import { foreignRequestReason } from "./foreign-request.ts";

const host = "127.0.0.1:8787";

describe("a request is accepted", () => {
  test.each([host, "localhost:8787", "dashboard.localhost:8787", "[::1]:8787", "localhost"])("with Host %s", (name) => {
    expect(foreignRequestReason({ host: name }, { ports: [8787] })).toBeUndefined();
  });

  test.each([
    "http://127.0.0.1:8787",
    "http://localhost:8787",
    "http://dashboard.localhost:8787",
    "http://localhost:5173",
    undefined,
  ])("with Origin %s", (origin) => {
    const headers = { host, ...(origin && { origin }) };
    expect(foreignRequestReason(headers, { ports: [8787], origins: ["http://localhost:5173"] })).toBeUndefined();
  });

  test.each(["null", "http://game.localhost:8787"])("of a published page, %s, if such a page may send it", (origin) => {
    expect(foreignRequestReason({ host, origin }, { ports: [8787], published: true })).toBeUndefined();
  });
});

describe("a request is refused", () => {
  test.each(["evil.example:8787", "localhost.evil.example", "notlocalhost", "127.0.0.1.evil.example", "", "a b"])(
    "with Host %j",
    (name) => {
      expect(foreignRequestReason({ host: name }, { ports: [8787] })).toMatch(/^The Host header/);
    },
  );

  test("without Host", () => {
    expect(foreignRequestReason({}, { ports: [8787] })).toMatch(/^The Host header/);
  });

  test.each([
    "https://evil.example",
    "http://evil.example:8787",
    "http://localhost:8788",
    "http://localhost",
    "https://localhost:8787",
    "http://localhost.evil.example:8787",
    "http://game.localhost:8787",
    "http://dashboard.localhost:8788",
    "null",
    "",
    "no URL",
  ])("with Origin %j", (origin) => {
    expect(foreignRequestReason({ host, origin }, { ports: [8787] })).toMatch(/^The Origin header/);
  });

  test.each(["https://evil.example", "http://game.localhost:8788", "https://game.localhost:8787"])(
    "with Origin %j, also if a published page may send it",
    (origin) => {
      expect(foreignRequestReason({ host, origin }, { ports: [8787], published: true })).toMatch(/^The Origin header/);
    },
  );
});
