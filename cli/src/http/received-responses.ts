import { type ApiResponse, jsonIn, unexpectedResponse } from "../../../contract/api-error.ts";

/** As many as can be in use at once. */
const maxResponses = 100;

interface Received {
  readonly api: URL;
  /** Method and path of its route. */
  readonly line: string;
  readonly response: ApiResponse;
}

/** The latest responses of a command, which may be why its code fails: a field that the contract promises is missing, or of another type. */
export class ReceivedResponses {
  readonly #latest: Received[] = [];

  note(received: Received): void {
    this.#latest.push(received);
    if (this.#latest.length > maxResponses) this.#latest.shift();
  }

  /** The failure of code of ours; if one of the responses breaks the contract, the fault is the API's, and it is said so. */
  async explain(failure: unknown): Promise<unknown> {
    if (!(failure instanceof TypeError || failure instanceof RangeError) || this.#latest.length === 0) return failure;
    const { breaksContract } = await import("./contract-check.ts");
    const broken = this.#latest.find(({ line, response }) => breaksContract(line, response.status, jsonIn(response)));
    if (broken === undefined) return failure;
    return unexpectedResponse(broken.response, broken.api, failure);
  }
}
