/*
 * Secrets inside files, found by their form. A published file is public. Only forms are taken that nothing else has.
 */
import { isCompressedType } from "../api/content-types.ts";
import { isWellFormedToken, maskToken } from "../api/token-format.ts";

/** Secrets found in a file. */
export interface FoundSecrets {
  /** A token of this service, masked: prefix and checksum are right, so it is no other text. Such a file is refused. */
  readonly token?: string;
  /** Other secrets that seem to be there, as the object of "contains"; they only cause a warning. */
  readonly others: readonly string[];
}

/** Others than tokens of this service are looked for in files up to this size that are not compressed: the text of a game. */
const largestText = 4 * 1024 * 1024;

const forms: readonly (readonly [RegExp, string])[] = [
  // With bytes behind it, because libraries that read keys have the first line alone.
  [/-----BEGIN (?:[A-Z]+ )?PRIVATE KEY(?: BLOCK)?-----(?:\\[nr]|[\s"'`+,])*[0-9A-Za-z+/]{40}/, "a private key"],
  [/(?<![0-9A-Za-z])(?:gh[oprsu]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z]{22}_[0-9A-Za-z]{59})/, "a token of GitHub"],
  // Keys that documents show as examples end in EXAMPLE.
  [/(?<![0-9A-Za-z+/])(?:AKIA|ASIA)[A-Z2-7]{16}(?<!EXAMPLE)(?![0-9A-Za-z+/])/, "an access key of AWS"],
  [/(?<![0-9A-Za-z])npm_[0-9A-Za-z]{36}(?![0-9A-Za-z])/, "a token of npm"],
  [
    /(?<![0-9A-Za-z])xox[abeoprs]-\d{6,}-[0-9A-Za-z-]{10}|hooks\.slack\.com\/services\/T\w+\/B\w+\/\w{20}/,
    "a token of Slack",
  ],
];
/** Each form has one of these, and few texts do: one quick search instead of five slow ones. */
const hint = /gh[oprsu]_|github_pat_|npm_|A[KS]IA|xox[abeoprs]-|hooks\.slack\.com|PRIVATE KEY/;
/** Characters that are kept of the text before: more than the longest form. */
const longest = 256;

const underscore = "_".charCodeAt(0);
const prefix = [..."pat"].map((letter) => letter.charCodeAt(0));
const tokenLength = 64;

/** Looks for secrets in a file whose bytes come piece by piece. */
export class SecretScan {
  readonly #decoder: InstanceType<typeof TextDecoder> | undefined;
  readonly #others = new Set<string>();
  #token: string | undefined;
  /** The end of the earlier pieces. */
  #bytes: Uint8Array = new Uint8Array();
  #text = "";

  constructor({ path, size }: { readonly path: string; readonly size: number }) {
    if (size <= largestText && !isCompressedType(path)) this.#decoder = new TextDecoder("latin1");
  }

  update(chunk: Uint8Array): void {
    this.#token ??= tokenIn(joined(this.#bytes, chunk.subarray(0, tokenLength))) ?? tokenIn(chunk);
    this.#bytes = joined(this.#bytes, chunk.subarray(-tokenLength)).slice(-tokenLength);
    if (this.#decoder === undefined) return;
    const text = this.#decoder.decode(chunk);
    this.#search(this.#text + text.slice(0, longest));
    this.#search(text);
    this.#text = (this.#text + text.slice(-longest)).slice(-longest);
  }

  #search(text: string): void {
    if (hint.test(text)) for (const [form, words] of forms) if (form.test(text)) this.#others.add(words);
  }

  found(): FoundSecrets | undefined {
    const [token, others] = [this.#token, [...this.#others]];
    if (token === undefined && others.length === 0) return undefined;
    return { ...(token !== undefined && { token: maskToken(token) }), others };
  }
}

/** Finds the underscores first, which is as fast as the bytes can be read. */
function tokenIn(bytes: Uint8Array): string | undefined {
  for (let at = bytes.indexOf(underscore); at !== -1; at = bytes.indexOf(underscore, at + 1)) {
    const start = at - prefix.length;
    if (start < 0 || prefix.some((byte, index) => bytes[start + index] !== byte)) continue;
    const text = String.fromCharCode(...bytes.subarray(start, start + tokenLength));
    if (isWellFormedToken(text)) return text;
  }
  return undefined;
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

type Scanned = readonly { readonly path: string; readonly found?: FoundSecrets | undefined }[];

/** One line for each file with a token of this service. */
export function tokenPlaces(files: Scanned): string[] {
  return files.flatMap(({ path, found }) =>
    found?.token === undefined ? [] : [`${path}: contains the svc token ${found.token}`],
  );
}

/** Follows {@link tokenPlaces}. */
export const tokenAdvice =
  "Whoever plays the game could publish with it: revoke it, and build the game without it. svc publish needs no token in any file.";

/** One sentence for each other secret that files seem to have. */
export function secretAdvice(files: Scanned): string[] {
  const byWords = new Map<string, string[]>();
  for (const { path, found } of files)
    for (const words of found?.others ?? []) byWords.set(words, [...(byWords.get(words) ?? []), path]);
  return [...byWords].map(([words, [first, ...more]]) => {
    const which = more.length === 0 ? `${first} contains` : `${first} and ${more.length} more contain`;
    return `${which} what looks like ${words}. Published files are public: if it is one, remove it and change it where it is used.`;
  });
}
