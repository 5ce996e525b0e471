import { setTimeout as delay } from "node:timers/promises";
import { type DevTools, type DevToolsEvent, type Json, NoResponseError } from "./devtools.ts";

/** A screen on which a game is started. */
export interface Screen {
  readonly name: "desktop" | "phone";
  readonly width: number;
  readonly height: number;
  /** Pixels of the screen for one of CSS. */
  readonly scale: number;
}

export const screens: readonly Screen[] = [
  { name: "desktop", width: 1_280, height: 720, scale: 1 },
  { name: "phone", width: 390, height: 844, scale: 3 },
];

/** A request of the page or of its workers. */
export interface PageRequest {
  readonly url: string;
  /** Undefined: there was no response. */
  readonly status: number | undefined;
  /** Chromium's name of a failure, such as `net::ERR_NAME_NOT_RESOLVED`. */
  readonly failure: string | undefined;
  readonly isPending: boolean;
}

/** An error that a script did not catch, or wrote on the console. */
export interface ScriptError {
  readonly text: string;
  /** File and line; undefined if the browser does not say. */
  readonly place: string | undefined;
}

export interface Loaded {
  readonly requests: number;
  /** As sent: compressed, with headers. */
  readonly bytes: number;
}

/** What one start of a game shows. */
export interface Visit {
  readonly screen: Screen["name"];
  /** From the request of the page until something was drawn (first contentful paint); undefined if nothing was. */
  readonly firstFrameMilliseconds: number | undefined;
  readonly atFirstFrame: Loaded;
  readonly inAll: Loaded;
  /** Of scripts, WebAssembly and buffers; undefined if the page did not respond. */
  readonly memoryBytes: number | undefined;
  /** Whether all pixels have one colour at the end. */
  readonly isBlank: boolean;
  readonly isUnresponsive: boolean;
  readonly isCrashed: boolean;
  readonly pages: readonly string[];
  readonly requests: readonly PageRequest[];
  /** URLs of images that browsers draw in part or not at all, and say nothing of. */
  readonly brokenImages: readonly string[];
  readonly uncaught: readonly ScriptError[];
  readonly consoleErrors: readonly ScriptError[];
  readonly dialogs: readonly string[];
  /** The beginning of the text that is visible at the end. */
  readonly text: string;
  /** Paths of the page's elements that begin with a slash. */
  readonly absolutePaths: readonly string[];
}

export interface VisitOptions {
  readonly devTools: DevTools;
  readonly url: URL;
  readonly screen: Screen;
  /** Time in which a game must have drawn something and loaded everything. */
  readonly waitSeconds: number;
}

/** A game has loaded everything when it requests nothing for so long. */
const quietMilliseconds = 1_000;
const pollMilliseconds = 100;
/** Engines compile for seconds at their start, and a machine without a graphics card draws slowly. */
const minResponseMilliseconds = 20_000;
const maxPages = 5;

/** Whether a page goes round in a circle. */
export function reloadsEndlessly({ pages }: Pick<Visit, "pages">): boolean {
  return pages.length > maxPages;
}

/**
 * Opens a page on a screen, as the first visit of a new player, until it has drawn something and loads nothing more, or the time is over.
 *
 * @throws Error if the browser ends
 */
export async function visit(options: VisitOptions): Promise<Visit> {
  const { devTools } = options;
  const { browserContextId } = await devTools.send("Target.createBrowserContext");
  try {
    const session = await newSession(devTools, browserContextId);
    const judge = await newSession(devTools, browserContextId);
    const recording = new Recording(devTools, session);
    try {
      return await recordedVisit(options, { session, judge, recording });
    } finally {
      recording.stop();
    }
  } finally {
    await devTools.send("Target.disposeBrowserContext", { browserContextId }).catch(() => {});
  }
}

async function newSession(devTools: DevTools, browserContextId: string): Promise<string> {
  const { targetId } = await devTools.send("Target.createTarget", { url: "about:blank", browserContextId });
  return (await devTools.send("Target.attachToTarget", { targetId, flatten: true }))["sessionId"];
}

interface Sessions {
  readonly session: string;
  /** A page of its own, which reads screenshots also if the game's does not respond. */
  readonly judge: string;
  readonly recording: Recording;
}

async function recordedVisit(options: VisitOptions, { session, judge, recording }: Sessions): Promise<Visit> {
  const { devTools, url, screen, waitSeconds } = options;
  await prepare(devTools, session, screen);
  const deadline = performance.now() + waitSeconds * 1_000;
  let isUnresponsive = false;
  let isBlank = true;
  const send = async (method: string, params: Json, to: string): Promise<Json | undefined> => {
    if (isUnresponsive) return undefined;
    try {
      return await devTools.send(method, params, {
        session: to,
        withinMilliseconds: Math.max(minResponseMilliseconds, deadline - performance.now()),
      });
    } catch (failure) {
      // A page that has crashed refuses everything.
      if (failure instanceof NoResponseError) isUnresponsive = true;
      return undefined;
    }
  };
  // The response comes when the page is there, which one that loads itself again and again never is.
  devTools.send("Page.navigate", { url: url.href }, { session }).catch(() => {});
  while (performance.now() <= deadline && !hasEnded()) {
    await delay(pollMilliseconds);
    if (recording.isQuiet) {
      isBlank = await looksBlank();
      if (!isBlank && !saysLoading((await evaluate(session, pageFacts))?.["text"] ?? "")) break;
    }
  }
  if (isBlank && !hasEnded()) isBlank = await looksBlank();
  const content = reloadsEndlessly(recording) ? undefined : await evaluate(session, pageFacts);
  const brokenImages = await findBrokenImages();
  const memoryBytes = await recording.memoryBytes(send);
  return {
    ...recording.facts(),
    ...{ screen: screen.name, isBlank, isUnresponsive, memoryBytes, brokenImages },
    text: content?.["text"] ?? "",
    absolutePaths: content?.["absolutePaths"] ?? [],
  };

  /** Whether nothing more comes of the page, also if there is time left. */
  function hasEnded(): boolean {
    return recording.isCrashed || isUnresponsive || reloadsEndlessly(recording);
  }

  async function evaluate(to: string, expression: string): Promise<Json | undefined> {
    const parameters = { expression, awaitPromise: true, returnByValue: true };
    return (await send("Runtime.evaluate", parameters, to))?.["result"]?.["value"];
  }

  async function findBrokenImages(): Promise<string[]> {
    const broken: string[] = [];
    for (const { requestId, url } of recording.images.slice(0, maxImages)) {
      const response = await send("Network.getResponseBody", { requestId }, session);
      if (response === undefined) continue;
      const bytes = Buffer.from(response["body"], response["base64Encoded"] ? "base64" : "utf8").toString("base64");
      if ((await evaluate(judge, `(${decodes})("${bytes}")`))?.["isWhole"] === false) broken.push(url);
    }
    return broken;
  }

  async function looksBlank(): Promise<boolean> {
    const shot = await send("Page.captureScreenshot", { format: "png", optimizeForSpeed: true }, session);
    if (shot === undefined) return true;
    return (await evaluate(judge, `(${differingPixels})("${shot["data"]}")`))?.["pixels"] < minPixels;
  }
}

/** Whether the visible text of a page says that it is not ready. A long one is of the game itself. */
export function saysLoading(text: string): boolean {
  return text.length < 200 && /\bloading\b|\bplease wait\b|\b[1-9]?[0-9]\s?%/i.test(text);
}

/** A mark that is smaller is taken for none: less than 8 × 8 points. */
const minPixels = 64;

/** Runs in the browser: how many pixels of a PNG have another colour than the first one. */
const differingPixels = `async (png) => {
  const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let pixels = 0;
  for (let at = 0; at < data.length; at += 4)
    if ([0, 1, 2].some((part) => Math.abs(data[at + part] - data[part]) > 8)) pixels += 1;
  return { pixels };
}`;

/** Each takes some milliseconds. */
const maxImages = 300;

/** Runs in the browser: whether an image can be decoded to its end, which an image element does not tell. */
const decodes = `async (bytes) => {
  const image = new Blob([Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0))]);
  return { isWhole: await createImageBitmap(image).then(() => true, () => false) };
}`;

/** Runs in the game's page. */
const pageFacts = `(() => ({
  text: (document.body?.innerText ?? "").trim().slice(0, 500),
  absolutePaths: [...document.querySelectorAll("script[src], img[src], link[href], audio[src], video[src], source[src]")]
    .map((element) => element.getAttribute("src") ?? element.getAttribute("href"))
    .filter((path) => /^\\/[^/]/.test(path))
    .slice(0, 20),
}))()`;

async function prepare(devTools: DevTools, session: string, { name, width, height, scale }: Screen): Promise<void> {
  const send = (method: string, params: Json = {}) => devTools.send(method, params, { session });
  const isPhone = name === "phone";
  await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: scale, mobile: isPhone });
  if (isPhone) await send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 5 });
  const { userAgent } = await devTools.send("Browser.getVersion");
  await send("Emulation.setUserAgentOverride", { userAgent: userAgentOn(name, userAgent) });
  await send("Page.enable");
  await send("Page.setLifecycleEventsEnabled", { enabled: true });
  await send("Inspector.enable");
  for (const domain of recordedDomains) await send(domain);
  await send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
}

const recordedDomains = ["Network.enable", "Runtime.enable", "Log.enable"];

/** Games look there for a phone; none must see that nobody is there. */
function userAgentOn(name: Screen["name"], userAgent: string): string {
  const visible = userAgent.replace("HeadlessChrome", "Chrome");
  return name === "desktop"
    ? visible
    : visible.replace(/\([^)]*\)/, "(Linux; Android 10; K)").replace(" Safari/", " Mobile Safari/");
}

interface RecordedRequest {
  readonly url: string;
  /** Set: it was sent for an image of pixels. */
  isImage?: boolean;
  readonly startedAt: number;
  readonly isStream: boolean;
  endedAt?: number;
  bytes: number;
  status?: number;
  failure?: string;
}

/** Events of a page and its workers. Times are seconds of the browser's clock. */
class Recording {
  readonly pages: string[] = [];
  isCrashed = false;
  readonly #devTools: DevTools;
  readonly #session: string;
  /** The workers. */
  readonly #children = new Set<string>();
  /** By their ids: a worker's own script is requested by the page and loaded by the worker. */
  readonly #requests = new Map<string, RecordedRequest>();
  /** What is known of requests whose start is not reported yet: the network and the page report each in their own order. */
  readonly #early = new Map<string, Partial<RecordedRequest>>();
  readonly #uncaught: ScriptError[] = [];
  readonly #consoleErrors: ScriptError[] = [];
  readonly #dialogs: string[] = [];
  readonly #stop: () => void;
  #firstFrameAt: number | undefined;
  #changedAt = performance.now();

  constructor(devTools: DevTools, session: string) {
    this.#devTools = devTools;
    this.#session = session;
    this.#stop = devTools.listen((event) => this.#record(event));
  }

  stop(): void {
    this.#stop();
  }

  /** Whether nothing is loaded, and nothing was for some time. */
  get isQuiet(): boolean {
    const isLoading = this.#all().some((request) => isPending(request));
    return !isLoading && performance.now() - this.#changedAt > quietMilliseconds;
  }

  get firstFrameMilliseconds(): number | undefined {
    const [first] = this.#all();
    if (this.#firstFrameAt === undefined || first === undefined) return undefined;
    return Math.max(0, Math.round((this.#firstFrameAt - first.startedAt) * 1_000));
  }

  facts() {
    const all = this.#all();
    const until = this.#firstFrameAt ?? Number.NEGATIVE_INFINITY;
    return {
      firstFrameMilliseconds: this.firstFrameMilliseconds,
      atFirstFrame: loadedOf(all.filter(({ endedAt }) => endedAt !== undefined && endedAt <= until)),
      inAll: loadedOf(all),
      isCrashed: this.isCrashed,
      pages: this.pages,
      requests: all.map((request) => ({
        ...{ url: request.url, status: request.status, failure: request.failure },
        isPending: isPending(request),
      })),
      uncaught: this.#uncaught,
      consoleErrors: this.#consoleErrors,
      dialogs: this.#dialogs,
    };
  }

  /** Images of pixels that arrived. */
  get images(): readonly { readonly requestId: string; readonly url: string }[] {
    const arrived = [...this.#requests].filter(
      ([, { isImage, status, endedAt, failure }]) => isImage && status === 200 && endedAt && !failure,
    );
    return arrived.map(([requestId, { url }]) => ({ requestId, url }));
  }

  /** Memory of the page and its workers. */
  async memoryBytes(
    send: (method: string, params: Json, session: string) => Promise<Json | undefined>,
  ): Promise<number | undefined> {
    const heaps = await Promise.all(
      [this.#session, ...this.#children].map((session) => send("Runtime.getHeapUsage", {}, session)),
    );
    const readHeaps = heaps.filter((heap) => heap !== undefined);
    if (heaps[0] === undefined) return undefined;
    const bytes = (heap: Json) =>
      heap["usedSize"] + (heap["embedderHeapUsedSize"] ?? 0) + (heap["backingStorageSize"] ?? 0);
    return readHeaps.reduce((sum, heap) => sum + bytes(heap), 0);
  }

  /** Requests that go to a server. */
  #all(): RecordedRequest[] {
    return [...this.#requests.values()].filter(({ url }) => /^(https?|wss?|file):/.test(url));
  }

  #record({ method, params, sessionId = "" }: DevToolsEvent): void {
    if (sessionId !== this.#session && !this.#children.has(sessionId)) return;
    this.#recorders[method]?.(params);
  }

  readonly #recorders: Readonly<Record<string, (params: Json) => void>> = {
    "Target.attachedToTarget": ({ sessionId }) => void this.#follow(sessionId),
    "Target.detachedFromTarget": ({ sessionId }) => void this.#children.delete(sessionId),
    "Inspector.targetCrashed": () => {
      this.isCrashed = true;
    },
    "Page.lifecycleEvent": ({ name, timestamp }) => {
      if (name === "firstContentfulPaint") this.#firstFrameAt ??= timestamp;
    },
    "Page.frameNavigated": ({ frame }) => {
      if (frame.parentId === undefined && frame.url !== "about:blank")
        this.pages.push(frame.unreachableUrl ?? frame.url);
    },
    "Page.javascriptDialogOpening": ({ message }) => {
      this.#dialogs.push(message);
      void this.#devTools
        .send("Page.handleJavaScriptDialog", { accept: true }, { session: this.#session })
        .catch(() => {});
    },
    "Network.requestWillBeSent": ({ requestId, request, timestamp, type }) =>
      this.#start(requestId, {
        url: request.url,
        startedAt: timestamp,
        bytes: 0,
        isStream: type === "EventSource",
      }),
    "Network.webSocketCreated": ({ requestId, url }) =>
      this.#start(requestId, { url, startedAt: Number.POSITIVE_INFINITY, bytes: 0, isStream: true }),
    "Network.responseReceived": ({ requestId, response, type }) =>
      this.#change(requestId, {
        status: response.status,
        isImage: type === "Image" && response.mimeType !== "image/svg+xml",
      }),
    // All that comes of a response that the page refuses.
    "Network.responseReceivedExtraInfo": ({ requestId, statusCode }) => this.#change(requestId, { status: statusCode }),
    "Network.loadingFinished": ({ requestId, timestamp, encodedDataLength }) =>
      this.#change(requestId, { endedAt: timestamp, bytes: encodedDataLength }),
    "Network.loadingFailed": ({ requestId, timestamp, errorText, canceled, blockedReason }) =>
      this.#change(requestId, {
        endedAt: timestamp,
        // A game cancels what it no longer needs.
        ...(!canceled && { failure: blockedReason === undefined ? errorText : `${errorText} (${blockedReason})` }),
      }),
    "Runtime.exceptionThrown": ({ exceptionDetails }) => {
      const { exception, text, url, lineNumber } = exceptionDetails;
      const description = String(exception?.description ?? exception?.value ?? text).split("\n")[0] ?? text;
      this.#uncaught.push({
        text: description,
        place: placeOf(url ?? exceptionDetails.stackTrace?.callFrames[0]?.url, lineNumber),
      });
    },
    "Runtime.consoleAPICalled": ({ type, args, stackTrace }) => {
      if (type !== "error" && type !== "assert") return;
      const text = (args as Json[]).map((value) => String(value["value"] ?? value["description"] ?? "")).join(" ");
      const [frame] = stackTrace?.callFrames ?? [];
      this.#consoleErrors.push({ text: text.split("\n")[0] ?? "", place: placeOf(frame?.url, frame?.lineNumber) });
    },
    "Log.entryAdded": ({ entry: { level, source, text, url, lineNumber } }) => {
      // Requests are recorded by themselves.
      if (level === "error" && source !== "network")
        this.#consoleErrors.push({ text, place: placeOf(url, lineNumber) });
    },
  };

  #start(id: string, request: RecordedRequest): void {
    this.#changedAt = performance.now();
    this.#requests.set(id, { ...request, ...this.#early.get(id) });
    this.#early.delete(id);
  }

  #change(id: string, change: Partial<RecordedRequest>): void {
    this.#changedAt = performance.now();
    const request = this.#requests.get(id);
    if (request) Object.assign(request, change);
    else this.#early.set(id, { ...this.#early.get(id), ...change });
  }

  /** Records a worker too, which waits until it is. */
  async #follow(session: string): Promise<void> {
    this.#children.add(session);
    const send = (method: string) => this.#devTools.send(method, {}, { session });
    // Some kinds of worker have no such part, and a short one has ended.
    await Promise.allSettled(recordedDomains.map(send));
    await send("Runtime.runIfWaitingForDebugger").catch(() => {});
  }
}

function isPending({ endedAt, isStream }: RecordedRequest): boolean {
  return endedAt === undefined && !isStream;
}

function loadedOf(requests: readonly RecordedRequest[]): Loaded {
  return { requests: requests.length, bytes: requests.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function placeOf(url: string | undefined, line: number | undefined): string | undefined {
  if (!url) return undefined;
  const path = URL.canParse(url) ? new URL(url).pathname.slice(1) || "index.html" : url;
  return line === undefined ? path : `${path}:${line + 1}`;
}
