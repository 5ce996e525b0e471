import { meaningOf, type PutResponse, type StoreMeaning } from "../contract/api/releases/store-response.ts";

/** Failures of the API, which sends no URL for a file, or does not complete one whose parts the store has. */
type FailureOfApi = "no_url" | "incomplete";

const wordsOfApi: Record<FailureOfApi, string> = {
  no_url: "The API sent no upload URL.",
  incomplete: "Its parts are sent, and the API does not complete it.",
};

/** Why a file is not uploaded, although there was a response. The clients have the words for it. */
export class UploadFailure extends Error {
  override readonly name = "UploadFailure";
  readonly meaning: StoreMeaning | FailureOfApi;
  /** The store's. */
  readonly response: PutResponse | undefined;

  constructor(cause: PutResponse | FailureOfApi) {
    const response = typeof cause === "string" ? undefined : cause;
    super(typeof cause === "string" ? wordsOfApi[cause] : `The store responded with ${inWords(cause)}.`);
    this.meaning = typeof cause === "string" ? cause : meaningOf(cause);
    this.response = response;
  }
}

function inWords({ status, code, isConfirmed = true }: PutResponse): string {
  const what = code ?? (status < 300 && !isConfirmed ? "without its checksum" : "");
  return `${status} ${what}`.trim();
}
