import { expect, test } from "@jest/globals";
import { proxyFor } from "./proxy.ts";

const api = new URL("https://api.svc.example");
const HTTPS_PROXY = "http://proxy.example:3128";

test.each([
  [{}, undefined],
  [{ HTTPS_PROXY }, "http://proxy.example:3128/"],
  [{ https_proxy: "http://small.example", HTTPS_PROXY }, "http://small.example/"],
  [{ ALL_PROXY: "proxy.example:3128" }, "http://proxy.example:3128/"],
  [{ HTTP_PROXY: "http://proxy.example:3128" }, undefined],
  [{ HTTPS_PROXY: " " }, undefined],
])("%j chooses the proxy %p", (environment, expected) => {
  expect(proxyFor(api, environment)?.href).toBe(expected);
});

test.each([
  "*",
  "api.svc.example",
  ".svc.example",
  "svc.example",
  "*.svc.example",
  "a.b, svc.example:443",
  "API.SVC.EXAMPLE",
])("NO_PROXY=%s makes a direct connection", (NO_PROXY) => {
  expect(proxyFor(api, { HTTPS_PROXY, NO_PROXY })).toBeUndefined();
});

test.each(["", "example.com", "vc.example", "svc.example:8443", "api.svc.example.com"])(
  "NO_PROXY=%p does not concern this host",
  (NO_PROXY) => {
    expect(proxyFor(api, { HTTPS_PROXY, NO_PROXY })).toBeDefined();
  },
);

test.each(["https://localhost", "https://127.0.0.1", "https://[::1]", "http://localhost:8787"])(
  "%s is reached without a proxy",
  (url) => {
    expect(proxyFor(new URL(url), { HTTPS_PROXY, HTTP_PROXY: HTTPS_PROXY })).toBeUndefined();
  },
);

test("NO_PROXY can name an IPv6 address", () => {
  expect(proxyFor(new URL("https://[2001:db8::1]"), { HTTPS_PROXY, NO_PROXY: "2001:db8::1" })).toBeUndefined();
});

test.each(["socks5://proxy.example", "http://"])("a proxy %s is refused", (proxy) => {
  expect(() => proxyFor(api, { HTTPS_PROXY: proxy })).toThrow("HTTPS_PROXY does not name an http or https proxy.");
});
