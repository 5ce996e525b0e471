import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { ApiCommand, example, projectFlag } from "../../../cli/src/command.ts";
import { exitCodes, UserError } from "../../../cli/src/errors.ts";
import { idOfRelease } from "../../../cli/src/release-lines.ts";
import { printable } from "../../../cli/src/text.ts";
import { phoneAdvice } from "../../../contract/api/projects/phone-advice.ts";
import type { TelemetryRecord } from "../contract/telemetry-records.ts";
import { type ProfileSummary, summaryOf, whyUnmeasured } from "../contract/telemetry-summary.ts";
import { verdictOf } from "../contract/verdict.ts";

export class Profile extends ApiCommand {
  static override hiddenAliases = ["performance"];
  static override summary = "Measure the performance of a release on any device.";
  static override description =
    "Prints a link, and a QR code on a terminal: open it on a phone and play. The summary comes when the page is left, or with Ctrl-C. " +
    "A release that is not live gets a preview. The link works for an hour.";
  static override examples = [
    example("The live release, on the phone that scans the code"),
    example("Fail if a frame in twenty takes longer than 20 ms", "7 --max-p95 20 --json"),
  ];
  static override args = {
    release: Args.string({ ignoreStdin: true, description: "The release, by number or id; default: the live one." }),
  };
  static override flags = {
    ...projectFlag,
    open: Flags.boolean({ summary: "Open the link in the browser of this machine." }),
    "max-p95": Flags.integer({
      summary:
        "Exit with 1 if the 95th percentile of the frame times is above so many milliseconds, with 5 if too few were measured.",
      helpValue: "MS",
      min: 1,
    }),
    trace: Flags.string({
      summary: "Write the profile to this file as a Chrome trace, for Perfetto and the DevTools of browsers.",
      helpValue: "FILE",
    }),
    wait: Flags.integer({
      summary: "Finish when no device has opened the link for so many seconds.",
      helpValue: "SECONDS",
      min: 1,
      default: 600,
    }),
    idle: Flags.integer({
      summary: "Finish when nothing has come for so many seconds.",
      helpValue: "SECONDS",
      min: 1,
      default: 15,
    }),
  };

  async run() {
    const { args, flags } = await this.parse(Profile);
    const slug = await this.slugOf(flags.project);
    const { client, target } = await this.connect(flags.api);
    const release = args.release === undefined ? undefined : await idOfRelease(client, slug, args.release);
    const [{ makeGrant, waitForProfile }, { gameUrl }] = await Promise.all([
      import("./telemetry-grants.ts"),
      import("../../../cli/src/live-url.ts"),
    ]);
    const { profile, url: text } = await makeGrant(client, slug, release);
    const url = gameUrl(target.api, slug, text);
    const { wait: waitSeconds, idle: idleSeconds, "max-p95": limit } = flags;
    const show = async () => await this.#showLink(url, { isOpened: flags.open, waitSeconds });
    await waitForProfile(client, { slug, id: profile.id }, { show, waitSeconds, idleSeconds });
    const { profile: measured, records } = await client.call("GET /projects/:slug/profiles/:id", {
      params: { slug, id: profile.id },
    });
    const measuredRecords = records as unknown as TelemetryRecord[];
    const summary = summaryOf(measuredRecords);
    const isTooShort = limit !== undefined && (summary?.frames ?? 0) < framesOfBudget;
    // The page sees some frames before it sees that a worker draws.
    if (summary === undefined || (isTooShort && whyUnmeasured(measuredRecords) === "worker"))
      throw nothingMeasured(measuredRecords);
    if (flags.trace !== undefined) await this.#writeTrace(flags.trace, measuredRecords);
    this.#sayResult(summary, measured.device);
    if (isTooShort) throw tooFewMeasured(summary);
    const isHeld = limit === undefined || summary.p95 <= limit;
    if (!isHeld) {
      this.note(`p95 is ${summary.p95} ms, above ${limit} ms.`);
      process.exitCode = exitCodes.failed;
    }
    return { project: slug, profile: measured, summary, max_p95: limit ?? null, held: isHeld };
  }

  /** With --json the link goes to standard error, where people's texts are. */
  async #showLink(url: URL, { isOpened, waitSeconds }: { readonly isOpened: boolean; readonly waitSeconds: number }) {
    const isTerminal = process.stdout.isTTY === true && !this.jsonEnabled() && !this.isQuiet;
    if (isTerminal) {
      const { encodeQR } = await import("qr");
      this.say(encodeQR(url.href, "ascii", { ecc: "low", border: 2 }).trimEnd());
      const advice = phoneAdvice(url.href);
      if (advice !== undefined) this.note(advice);
    }
    if (this.jsonEnabled() || this.isQuiet) process.stderr.write(`${url.href}\n`);
    else this.say(url.href);
    const waiting = `Waiting up to ${waitSeconds} s for a device that opens the link.`;
    if (this.jsonEnabled()) process.stderr.write(`${waiting}\n`);
    else this.say(waiting);
    const { hasScreen, openInBrowser } = await import("../../../cli/src/browser.ts");
    if (isOpened && hasScreen()) openInBrowser(url);
  }

  async #writeTrace(file: string, records: readonly TelemetryRecord[]): Promise<void> {
    const [{ writeFile }, { chromeTraceOf }] = await Promise.all([
      import("node:fs/promises"),
      import("../contract/chrome-trace.ts"),
    ]);
    await writeFile(file, `${JSON.stringify(chromeTraceOf(records))}\n`);
    this.say(`The trace is in ${printable(file)}.`);
  }

  #sayResult(summary: ProfileSummary, device: string | null) {
    const { frames, seconds, unmeasuredSeconds, p50, p95, p99, longest, over16, over33, errors } = summary;
    const { word, reasons } = verdictOf(summary);
    const percent = (share: number) => `${Math.round(share * 1_000) / 10} %`;
    this.say(`${word}: ${reasons.map(({ text }) => text).join(", ")}`);
    this.say(`${frames} frames in ${seconds} s${device === null ? "" : ` on ${printable(device)}`}`);
    this.say(`p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms, longest ${longest} ms`);
    this.say(`${percent(over16)} of the frames over 16.7 ms, ${percent(over33)} over 33 ms`);
    if (unmeasuredSeconds > 0)
      this.say(`For ${unmeasuredSeconds} s more the game asked for no frames here, or a worker drew it.`);
    if (errors > 0) this.say(`${errors} errors that the game did not catch`);
  }
}

/** Frames below which the 95th percentile is the longest frame. */
const framesOfBudget = 20;

function tooFewMeasured({ frames }: ProfileSummary): UserError {
  return new UserError(`Only ${frames} frames were measured: too few for --max-p95, which needs ${framesOfBudget}.`, {
    code: "too_few_measured",
    exitCode: exitCodes.unmeasured,
    next: "Play for longer.",
  });
}

function nothingMeasured(records: readonly TelemetryRecord[]): UserError {
  const reason = whyUnmeasured(records) ?? "nothing";
  const [message, next] = {
    worker: [
      "A worker draws this game: its frames cannot be measured from the page.",
      "Measure them in the game itself.",
    ],
    no_request: [
      "The game asks for no frames here, so none was measured.",
      "Does it draw by a timer, or refuse to run in a frame?",
    ],
    nothing: ["Nothing was measured.", "Open the link, and play."],
  }[reason] as [string, string];
  return new UserError(message, { code: "nothing_measured", exitCode: exitCodes.unmeasured, next });
}
