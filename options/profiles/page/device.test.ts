import { expect, test } from "@jest/globals";
import { deviceRecord } from "./device.ts";

/** Number of contexts that were given back. */
let lost = 0;

/** A browser's own description, and the name of its graphics card. */
function recorded(userAgent: string, graphics = "Mali-G78") {
  Object.defineProperty(globalThis, "navigator", {
    configurable: true,
    value: { userAgent, hardwareConcurrency: 8 },
  });
  const context = {
    RENDERER: 1,
    getExtension: (name: string) => (name === "WEBGL_lose_context" ? { loseContext: () => (lost += 1) } : null),
    getParameter: () => graphics,
  };
  Object.assign(globalThis, {
    screen: { width: 360, height: 800 },
    devicePixelRatio: 2.5,
    crossOriginIsolated: false,
    document: { createElement: () => ({ getContext: () => context }) },
  });
  return deviceRecord(0);
}

const webkit = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
const blink = "AppleWebKit/537.36 (KHTML, like Gecko)";
const iphone = `Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${webkit}`;
const android = `Mozilla/5.0 (Linux; Android 10; K) ${blink}`;
const windows = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${blink}`;

test.each([
  ["Chrome 140 on Android", `${android} Chrome/140.0.0.0 Mobile Safari/537.36`],
  ["Chrome 140 on iPhone", `${iphone} CriOS/140.0.7339.101 Mobile/15E148 Safari/604.1`],
  ["Edge 140 on Windows", `${windows} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`],
  ["Edge 139 on Android", `${android} Chrome/140.0.0.0 Mobile Safari/537.36 EdgA/139.0.0.0`],
  ["Opera 121 on Windows", `${windows} Chrome/137.0.0.0 Safari/537.36 OPR/121.0.0.0`],
  ["Samsung Internet 28 on Android", `${android} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`],
  ["Firefox 142 on Android", "Mozilla/5.0 (Android 15; Mobile; rv:142.0) Gecko/142.0 Firefox/142.0"],
  ["Firefox 142 on iPhone", `${iphone} FxiOS/142.0 Mobile/15E148 Safari/604.1`],
  ["Safari 18 on iPhone", `${iphone} Version/18.5 Mobile/15E148 Safari/604.1`],
  ["Safari 26 on Macintosh", `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Version/26.0 Safari/605.1.15`],
  ["another browser on Linux", "Mozilla/5.0 (X11; Linux x86_64) Other/1"],
  ["another browser", ""],
])("a device is called %s", (name, agent) => {
  expect(recorded(agent)).toMatchObject({ browser: name, graphics: "Mali-G78", cores: 8 });
});

test("a name that is too long is cut, and half a character is none", () => {
  expect(recorded("", `${"G".repeat(299)}\u{1f600}`).graphics).toBe(`${"G".repeat(299)}\ufffd`);
});

test("the context that names the graphics card is given back to the game", () => {
  lost = 0;
  recorded("");
  expect(lost).toBe(1);
});
