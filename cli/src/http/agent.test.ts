import { expect, test } from "@jest/globals";
import { proxyFor } from "./agent.ts";

const api = new URL("https://api.svc.example/");
const HTTPS_PROXY = "http://proxy.example:3128";

test.each<[NodeJS.ProcessEnv, string | undefined]>([
  [{ HTTPS_PROXY }, "http://proxy.example:3128/"],
  [{ https_proxy: "http://small.example", HTTPS_PROXY }, "http://small.example/"],
  [{ ALL_PROXY: "proxy.example:3128" }, "http://proxy.example:3128/"],
  [{ HTTP_PROXY: "http://proxy.example:3128" }, undefined],
  [{ HTTPS_PROXY: " " }, undefined],
])("%j chooses the proxy %p", (environment, expected) => {
  expect(proxyFor(api, environment)?.href).toBe(expected);
});

test.each(["https://localhost", "https://127.0.0.1", "https://[::1]", "http://localhost:8787"])(
  "%s is reached without a proxy",
  (url) => {
    expect(proxyFor(new URL(url), { HTTPS_PROXY, HTTP_PROXY: HTTPS_PROXY })).toBeUndefined();
  },
);

test.each(["socks5://proxy.example", "http://"])("a proxy %s is refused", (proxy) => {
  expect(() => proxyFor(api, { HTTPS_PROXY: proxy })).toThrow("HTTPS_PROXY does not name an http or https proxy.");
});
