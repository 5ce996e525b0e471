import type { IncomingMessage, ServerResponse } from "node:http";
import type { EdgeResult } from "../../../local/edge/edge-location.ts";
import type { LogRow } from "../contract/log-fields.ts";

/** A field without a value. Where a player is, one machine does not know. */
const none = "-";
/** The status of a response that nobody waited for. */
const nobodyWaited = "000";

/** A player's request, measured from the time when this is made of it. */
export class LoggedRequest {
  readonly #request: IncomingMessage;
  readonly #at = new Date();
  readonly #begun = performance.now();
  readonly #bytesBefore: number;
  #firstByte: number | undefined;
  #result: EdgeResult | undefined;

  constructor(request: IncomingMessage) {
    this.#request = request;
    this.#bytesBefore = request.socket.bytesWritten;
  }

  /** Called before the response's first byte is sent. */
  responds(result: EdgeResult): void {
    this.#firstByte = performance.now();
    this.#result = result;
  }

  /** The row of it, when the response has ended or was cut off. */
  rowOf(response: ServerResponse): LogRow {
    const { url = none, headers, socket } = this.#request;
    const { from = "Error", logged = none } = this.#result ?? {};
    const at = this.#at.toISOString();
    return {
      date: at.slice(0, 10),
      time: at.slice(11, 19),
      "x-host-header": headers.host ?? none,
      "cs-uri-stem": url.replace(/\?.*/s, ""),
      "sc-status": response.headersSent ? String(response.statusCode) : nobodyWaited,
      "sc-bytes": String(socket.bytesWritten - this.#bytesBefore),
      "time-taken": this.#secondsUntil(performance.now()),
      "time-to-first-byte": this.#firstByte === undefined ? none : this.#secondsUntil(this.#firstByte),
      "c-country": none,
      "x-edge-result-type": from,
      "cs-protocol": "http",
      "viewer-request-log-data": logged,
    };
  }

  #secondsUntil(time: number): string {
    return ((time - this.#begun) / 1_000).toFixed(3);
  }
}
