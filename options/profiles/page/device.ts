import type { TelemetryRecord } from "../contract/telemetry-records.ts";
import { clipped } from "./text.ts";

type Device = Extract<TelemetryRecord, { type: "device" }>;

/** Record of the device that measures; it has nothing that names a person. */
export function deviceRecord(at: number): Device {
  return {
    type: "device",
    at,
    browser: clipped(browserName(navigator.userAgent), 300),
    width: screen.width,
    height: screen.height,
    density: devicePixelRatio,
    cores: navigator.hardwareConcurrency,
    graphics: clipped(graphicsCard(), 300),
    isolated: crossOriginIsolated,
    lacks: lacks(),
  };
}

/** The first one that an agent matches: most also name Chrome or Safari, which they are not. */
const browsers = [
  ["Edge", /\bEdg\w*\/(\d+)/],
  ["Opera", /\bOPR\/(\d+)/],
  ["Samsung Internet", /\bSamsungBrowser\/(\d+)/],
  ["Firefox", /\b(?:Firefox|FxiOS)\/(\d+)/],
  ["Chrome", /\b(?:Chrome|CriOS)\/(\d+)/],
  ["Safari", /\bVersion\/(\d+)\S* .*\bSafari\//],
] as const;

/** Browser with its version, and system, of a User-Agent header: "Firefox 140 on Android". */
function browserName(agent: string): string {
  const [name, form] = browsers.find(([, each]) => each.test(agent)) ?? ["another browser"];
  const version = form?.exec(agent)?.[1];
  const systems = ["Android", "iPhone", "iPad", "Windows", "Macintosh", "CrOS", "Linux"];
  const system = systems.find((each) => agent.includes(each));
  return name + (version === undefined ? "" : ` ${version}`) + (system === undefined ? "" : ` on ${system}`);
}

/** Name that the browser has for the graphics card; empty if it has none. */
function graphicsCard(): string {
  const context = document.createElement("canvas").getContext("webgl");
  if (context === null) return "";
  const extension = context.getExtension("WEBGL_debug_renderer_info");
  const name: unknown = context.getParameter(extension?.UNMASKED_RENDERER_WEBGL ?? context.RENDERER);
  // Browsers have few contexts, and the game needs them.
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return String(name);
}

/** The kinds of records that this browser cannot measure. */
function lacks(): Device["lacks"] {
  const types = PerformanceObserver.supportedEntryTypes;
  return [
    ...(types.includes("long-animation-frame") ? [] : (["long_frame"] as const)),
    ...(types.includes("event") ? [] : (["input"] as const)),
    ...(types.includes("resource") ? [] : (["resource"] as const)),
    ...(crossOriginIsolated && "measureUserAgentSpecificMemory" in performance ? [] : (["memory"] as const)),
  ];
}
