import { describe, expect, test } from "@jest/globals";
import { hostFileProblems, isHostFile } from "./host-files.ts";

test("_headers and _redirects count at the top of the folder alone", () => {
  expect(["_headers", "_redirects", "a/_headers", "_headers.txt", "_worker.js"].filter(isHostFile)).toEqual([
    "_headers",
    "_redirects",
  ]);
});

describe("each line has what takes its place", () => {
  test("in _headers", () => {
    const text = `# for threads
/*
  Cross-Origin-Opener-Policy: same-origin
  cross-origin-embedder-policy: require-corp

/assets/*
\tCache-Control: public, max-age=31536000, immutable
  ! Content-Security-Policy
  X-Frame-Options: DENY
  Access-Control-Allow-Origin: *
  __proto__: x`;
    expect(hostFileProblems("_headers", text)).toEqual([
      "line 3: Cross-Origin-Opener-Policy: isolation = true in svc.toml sends it with everything",
      'line 4: cross-origin-embedder-policy: isolation = true, or "credentialless", in svc.toml sends it with everything',
      'line 7: Cache-Control: browsers ask each time whether a file has changed; immutable = ["assets/**"] in svc.toml lets them keep files',
      "line 8: Content-Security-Policy: a <meta http-equiv> in the page can have it; embedding in svc.toml has frame-ancestors",
      'line 9: X-Frame-Options: embedding = "nobody" in svc.toml keeps it out of other sites',
      "line 10: Access-Control-Allow-Origin: no header of a game's own is sent",
      "line 11: __proto__: no header of a game's own is sent",
    ]);
  });

  test.each([
    ["/* /index.html 200", "spa = true in svc.toml sends index.html for pages without a file"],
    ["/*  /  200!", "spa = true in svc.toml sends index.html for pages without a file"],
    ["/api/* https://api.example/:splat 200", "nothing is fetched from other servers: let the page do it"],
    ["  /* id=200 /index.html 200", "spa = true in svc.toml sends index.html for pages without a file"],
    ["/api/* http://api.example/:splat 200!", "nothing is fetched from other servers: let the page do it"],
    ["/* /lost.html 404", "404.html in the folder is sent for what is missing"],
    ["/* /lost.html 404!", "404.html in the folder is sent for what is missing"],
    ["/old", 'nothing is redirected: a page at /old with <meta http-equiv="refresh" content="0;url="> leads on'],
    [
      "/old /new",
      'nothing is redirected: a page at /old with <meta http-equiv="refresh" content="0;url=/new"> leads on',
    ],
    [
      "/play id=:id https://other.example/:id 301",
      'nothing is redirected: a page at /play with <meta http-equiv="refresh" content="0;url=https://other.example/:id"> leads on',
    ],
  ])("in _redirects: %s", (line, advice) => {
    expect(hostFileProblems("_redirects", `# moved\n\r\n${line}\r\n`)).toEqual([`line 3: ${advice}`]);
  });

  test.each([
    ["/play", "/index.html", "200"],
    ["/*", "/index.html", "2000"],
    ["/*", "/lost.html", "404px"],
    ["/*", "/index.html", "301"],
    ["/*", "/play/index.html", "200"],
    ["/*", "/other", "200"],
    ["/play from=/x", "/new", "301"],
  ])("in _redirects %s to %s with %s is no single-page application, nor fetched", (from, to, status) => {
    const page = from.split(" ")[0];
    expect(hostFileProblems("_redirects", `${from} ${to} ${status}`)).toEqual([
      `line 1: nothing is redirected: a page at ${page} with <meta http-equiv="refresh" content="0;url=${to}"> leads on`,
    ]);
  });

  test("a file without lines is accepted", () => {
    expect(hostFileProblems("_redirects", "  # moved\n   ")).toEqual([]);
    expect(hostFileProblems("_headers", "/my game/*\n")).toEqual([]);
    expect(hostFileProblems("_headers", "# nothing\n\n")).toEqual([]);
    expect(hostFileProblems("_redirects", "")).toEqual([]);
  });
});
