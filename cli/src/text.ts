import { tokenLike } from "../../contract/api/tokens/token-format.ts";

/*
 * All output goes through these functions, because two things must never reach a terminal or a log: a token, and control
 * characters in a text of a server.
 */

const tokens = new RegExp(tokenLike, "g");

/** Replaces everything that looks like a personal access token, a mistyped one too, by `pat_…`. */
export function withoutTokens(text: string): string {
  return text.replace(tokens, "pat_…");
}

/** Makes a text from outside safe to print on one line: no control characters, no tokens. */
export function printable(text: string): string {
  return withoutTokens(text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " "));
}

/** Makes lines safe to print: of control characters, only svc's styles and line ends stay; no tokens. */
export function printableLines(text: string): string {
  const harmless = text.replace(/\p{Cc}\[(?:1|2|22|31|32|33|39)m|[\p{Cc}\p{Cf}\u2028\u2029]/gu, (found) =>
    found.startsWith("\u001b[") || found === "\n" ? found : " ",
  );
  return withoutTokens(harmless);
}

/**
 * Breaks lines between words where a terminal would break them within, and indents what follows as the line is. A word that is
 * longer than the screen stays whole, so that a URL can be copied. Not for a script.
 *
 * @param columns of the terminal; undefined or 0 if it is none, or does not say
 */
export function wrapped(text: string, columns: number | undefined): string {
  if (!columns) return text;
  return text
    .split("\n")
    .map((line) => wrappedLine(line, columns))
    .join("\n");
}

function wrappedLine(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  const indentation = /^ */.exec(line)?.[0] ?? "";
  const lines = [indentation];
  for (const word of line.trimStart().split(" ")) {
    const last = lines.at(-1) ?? "";
    const longer = last.trim() === "" ? last + word : `${last} ${word}`;
    if (widthOf(longer) <= columns || last.trim() === "") lines[lines.length - 1] = longer;
    else lines.push(indentation + word);
  }
  return lines.join("\n");
}

/** Width without svc's own styles. */
function widthOf(text: string): number {
  return text.replace(/\p{Cc}\[\d+m/gu, "").length;
}

/** JSON that is safe on a terminal too: escapes control characters that JSON.stringify leaves as they are. */
export function printableJson(document: unknown, indentation?: number): string {
  const text = JSON.stringify(document, null, indentation);
  return withoutTokens(text.replace(/[\u007f-\u009f\u2028\u2029]|\p{Cf}/gu, escaped));
}

function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/** Whether a stream is a terminal on which a line can be written anew: not TERM=dumb. */
export function isScreen(stream: { isTTY?: boolean }, environment: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && environment["TERM"] !== "dumb";
}

/**
 * Whether to colour output to this stream: FORCE_COLOR decides if set (0: no); else it is a terminal, and neither NO_COLOR
 * nor TERM=dumb is set.
 */
export function hasColour(stream: { isTTY?: boolean }, environment: NodeJS.ProcessEnv): boolean {
  const { FORCE_COLOR: forced } = environment;
  if (forced) return forced !== "0" && forced !== "false";
  return isScreen(stream, environment) && !environment["NO_COLOR"];
}

/** Functions that style a text; without colour they return it unchanged. */
export function styles(coloured: boolean) {
  const style = (open: number, close: number) => (text: string) =>
    coloured ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return { bold: style(1, 22), dim: style(2, 22), red: style(31, 39), yellow: style(33, 39), green: style(32, 39) };
}

/** `label  value` lines with the labels at equal width. */
export function table(rows: readonly (readonly [label: string, value: string])[], label: (text: string) => string) {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `  ${label(name.padEnd(width))}  ${value}`).join("\n");
}

/** 1,536 bytes as "1.5 KiB": the units of the limits and of the dashboard. */
export function humanBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = Number(bytes);
  let unit = 0;
  for (; value >= 999.5 && unit < units.length - 1; unit += 1) value /= 1_024;
  return `${value.toFixed(unit === 0 || value >= 100 ? 0 : 1).replace(/\.0$/, "")} ${units[unit]}`;
}

/** "1 file", "2,000 files". */
export function count(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** 1234567 as "1,234,567". Not toLocaleString, whose first call takes ten milliseconds. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3}){1,6}$)/g, ",");
}

/** An RFC 3339 time as "2026-11-22 20:47", in UTC; what is none as it is. */
export function minute(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : date.toISOString().slice(0, 16).replace("T", " ");
}

/** 75 seconds as "1:15". */
export function clock(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  const tail = String(rest).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${minutes}:${tail}`;
}

/** Name by which a person is called; null stands for a deleted account. */
export function nameOf(user: { readonly name: string; readonly display_name: string | null } | null): string {
  return user === null ? "somebody whose account is deleted" : (user.display_name ?? user.name);
}
