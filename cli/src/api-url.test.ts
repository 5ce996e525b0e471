import { expect, test } from "@jest/globals";
import { formatApiUrl, parseApiUrl } from "./api-url.ts";

test.each([
  ["https://api.svc.example", "https://api.svc.example"],
  [" https://API.svc.example:443/ ", "https://api.svc.example"],
  ["https://host.example/staging", "https://host.example/staging"],
  ["http://localhost:8787", "http://localhost:8787"],
  ["http://svc.localhost", "http://svc.localhost"],
  ["http://127.0.0.1:8787/", "http://127.0.0.1:8787"],
  ["http://127.1", "http://127.0.0.1"],
  ["http://[::1]:8787", "http://[::1]:8787"],
])("%s is an API URL", (text, shown) => {
  expect(formatApiUrl(parseApiUrl(text, "--api"))).toBe(shown);
});

test.each([
  "",
  "api.svc.example",
  "http://api.svc.example",
  "http://localhost.example.com",
  "http://127.0.0.1.example.com",
  "http://0.0.0.0:8787",
  "http://10.0.0.1",
  "ftp://localhost",
  "https://ada:secret@api.svc.example",
  "https://api.svc.example?a=b",
  "https://api.svc.example#a",
])("%p is refused as wrong usage; the error names the source and not the value", (text) => {
  const refused = expect.objectContaining({ code: "invalid_api_address", exitCode: 2 });
  expect(() => parseApiUrl(text, "SVC_API")).toThrow(refused);
  expect(() => parseApiUrl(text, "SVC_API")).toThrow(/^The API URL in SVC_API (is|must)/);
});
