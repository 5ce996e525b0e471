import type { KnownParts } from "../../../contract/folder/known-parts.ts";
import type { OpenedRelease } from "../../../publisher/upload-release.ts";
import type {
  DownloadedFile,
  FromWorker,
  Preparation,
  PreparedFolder,
  Reading,
  Selection,
  ToWorker,
  ZippedRelease,
} from "./protocol.ts";
import { Refusal } from "./refusal.ts";

/** The path of the worker's script, which the build writes in (dashboard/build.ts). */
declare const workerPath: string;

/** Reads what a person picked, or packs what they download, in a worker of its own. */
export class Reader {
  readonly #worker: Worker;
  #waiting: { take(message: FromWorker): void; fail(error: unknown): void } | undefined;
  /** The worker does one thing after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor() {
    this.#worker = new Worker(scriptUrl(), { type: "module" });
    this.#worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => this.#receive(data));
    this.#worker.addEventListener("error", () => this.#waiting?.fail(new Error("The worker cannot be loaded")));
  }

  /** Finds out what can be published, and hashes it. @throws Refusal */
  async prepare(
    picked: Selection,
    preparation: Preparation,
    onReading: (reading: Reading) => void,
  ): Promise<PreparedFolder> {
    const told = (message: FromWorker) => message.kind === "reading" && onReading(message);
    return (await this.#ask({ kind: "prepare", picked, ...preparation }, "prepared", told)).prepared;
  }

  /**
   * Adds files of a release to a zip.
   *
   * @param releaseBytes of all files of the release
   * @param onBytes is told how many bytes of these files are packed
   * @throws Refusal if the store gives other bytes or none
   */
  async pack(files: readonly DownloadedFile[], releaseBytes: number, onBytes: (bytes: number) => void): Promise<void> {
    const told = (message: FromWorker) => message.kind === "packing" && onBytes(message.bytes);
    await this.#ask({ kind: "pack", files, releaseBytes }, "packed", told);
  }

  /** The zip. It is gone once this is closed. */
  async zip(): Promise<ZippedRelease> {
    return (await this.#ask({ kind: "zip" }, "zip")).zip;
  }

  /** The bytes of a file or a variant, by their SHA-256. @throws Refusal */
  async bytes(sha256: string): Promise<Blob> {
    return (await this.#ask({ kind: "bytes", sha256 }, "bytes")).blob;
  }

  /** Parts of what is missing that the service has in other files. @throws Refusal */
  async known({ missing, indexes }: Pick<OpenedRelease, "missing" | "indexes">): Promise<KnownParts> {
    return (await this.#ask({ kind: "known", missing, indexes }, "known")).known;
  }

  /** Stops at once. The worker removes what it has unpacked. */
  close(): void {
    this.#waiting?.fail(new DOMException("Cancelled", "AbortError"));
    this.#worker.postMessage({ kind: "stop" } satisfies ToWorker);
  }

  /** Asks once what was asked before has its reply. */
  #ask<Kind extends FromWorker["kind"]>(message: ToWorker, wanted: Kind, onMessage?: (message: FromWorker) => unknown) {
    const asked = this.#last.then(() => this.#exchange(message, wanted, onMessage));
    this.#last = asked.catch(() => {});
    return asked;
  }

  #exchange<Kind extends FromWorker["kind"]>(
    message: ToWorker,
    wanted: Kind,
    onMessage?: (message: FromWorker) => unknown,
  ) {
    return new Promise<Extract<FromWorker, { kind: Kind }>>((resolve, reject) => {
      this.#waiting = {
        take: (reply) => {
          onMessage?.(reply);
          if (reply.kind === wanted) resolve(reply as Extract<FromWorker, { kind: Kind }>);
        },
        fail: reject,
      };
      this.#worker.postMessage(message);
    });
  }

  #receive(message: FromWorker): void {
    if (message.kind === "refused") this.#waiting?.fail(new Refusal(message.why, message.places, message.offer));
    else if (message.kind === "failed") this.#waiting?.fail(new Error(message.message));
    else this.#waiting?.take(message);
  }
}

interface Policies {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

let policy: ReturnType<Policies["createPolicy"]> | undefined;

/** The page's policy asks for a trusted URL (dashboard/site.ts); TypeScript does not know these yet. */
function scriptUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: Policies };
  policy ??= trustedTypes?.createPolicy("svc-worker", { createScriptURL: () => workerPath });
  return policy?.createScriptURL("") ?? workerPath;
}
