import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import type { TelemetryRecord } from "../../../contract/api/telemetry-records.ts";
import { type ProfileSummary, summaryOf } from "../../../contract/api/telemetry-summary.ts";
import { ApiCommand, example, projectFlag } from "../command.ts";
import { exitCodes, UserError } from "../errors.ts";
import { idOfRelease } from "../release-lines.ts";
import { printable } from "../text.ts";

export class Profile extends ApiCommand {
  static override summary = "Measure the frame times of a release on any device.";
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
      summary: "Exit with 1 if the 95th percentile of the frame times is above so many milliseconds.",
      helpValue: "MS",
      min: 1,
    }),
    trace: Flags.string({
      summary: "Write the profile to this file as a Chrome trace, for Perfetto and the DevTools of browsers.",
      helpValue: "FILE",
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
    const { client } = await this.connect(flags.api);
    const release = args.release === undefined ? undefined : await idOfRelease(client, slug, args.release);
    const { makeGrant, waitForProfile } = await import("../profile.ts");
    const { profile, url } = await makeGrant(client, slug, release);
    const show = async () => await this.#showLink(url, flags.open);
    await waitForProfile(client, { slug, id: profile.id }, { show, idleSeconds: flags.idle });
    const { profile: measured, records } = await client.call("getProfile", { params: { slug, id: profile.id } });
    const measuredRecords = records as unknown as TelemetryRecord[];
    const summary = summaryOf(measuredRecords);
    if (summary === undefined)
      throw new UserError("Nothing was measured.", { code: "nothing_measured", next: "Open the link, and play." });
    if (flags.trace !== undefined) await this.#writeTrace(flags.trace, measuredRecords);
    const limit = flags["max-p95"];
    const isHeld = limit === undefined || summary.p95 <= limit;
    this.#sayResult(summary, measured.device);
    if (!isHeld) {
      this.note(`p95 is ${summary.p95} ms, above ${limit} ms.`);
      process.exitCode = exitCodes.failed;
    }
    return { project: slug, profile: measured, summary, max_p95: limit ?? null, held: isHeld };
  }

  /** With --json the link goes to standard error, where people's texts are. */
  async #showLink(url: string, isOpened: boolean): Promise<void> {
    const isTerminal = process.stdout.isTTY === true && !this.jsonEnabled() && !this.isQuiet;
    if (isTerminal) {
      const { renderUnicodeCompact } = await import("uqr");
      this.say(renderUnicodeCompact(url, { border: 2, invert: true }));
    }
    if (this.jsonEnabled() || this.isQuiet) process.stderr.write(`${printable(url)}\n`);
    else this.say(url);
    const { hasScreen, openInBrowser } = await import("../browser.ts");
    if (isOpened && hasScreen()) openInBrowser(url);
  }

  async #writeTrace(file: string, records: readonly TelemetryRecord[]): Promise<void> {
    const [{ writeFile }, { chromeTraceOf }] = await Promise.all([
      import("node:fs/promises"),
      import("../../../contract/api/chrome-trace.ts"),
    ]);
    await writeFile(file, `${JSON.stringify(chromeTraceOf(records))}\n`);
    this.say(`The trace is in ${printable(file)}.`);
  }

  #sayResult(
    { frames, seconds, p50, p95, p99, longest, over16, over33, errors }: ProfileSummary,
    device: string | null,
  ) {
    const percent = (share: number) => `${Math.round(share * 1_000) / 10} %`;
    this.say(`${frames} frames in ${seconds} s${device === null ? "" : ` on ${printable(device)}`}`);
    this.say(`p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms, longest ${longest} ms`);
    this.say(`${percent(over16)} of the frames over 16.7 ms, ${percent(over33)} over 33 ms`);
    if (errors > 0) this.say(`${errors} errors that the game did not catch`);
  }
}
