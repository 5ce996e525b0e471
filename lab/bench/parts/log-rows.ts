import { hash } from "node:crypto";
import type { LogRow } from "../../../edge/log-fields.ts";

interface LogShape {
  readonly count: number;
  readonly games: number;
  readonly day: string;
}

const requestsAPlay = 100;
const letters = "ABCDEF";

/** The name of one of a game's two releases. */
function releaseOf(game: number, release: number): string {
  return hash("sha256", `${game} ${release}`, "base64url");
}

/** Rows of the access log: each play a page and its files, of which one in 200 is missing and a third unchanged. */
export function* logRows({ count, games, day }: LogShape): Generator<LogRow> {
  const names = Array.from({ length: 2 * games }, (_, index) => releaseOf(index >> 1, index % 2));
  for (let index = 0; index < count; index += 1) {
    const play = Math.floor(index / requestsAPlay);
    const [game, file] = [play % games, index % requestsAPlay];
    const isMissing = file > 0 && (index * 7) % 200 === 3;
    yield {
      date: day,
      time: "12:00:00",
      "x-host-header": `game-${game}.games.example.net`,
      "cs-uri-stem": file === 0 ? "/" : `/assets/level-${file}.webp`,
      "sc-status": isMissing ? "404" : index % 3 === 0 ? "304" : "200",
      "sc-bytes": String((index * 7_919) % 200_000),
      "time-taken": "0.214",
      "time-to-first-byte": `0.${String(index % 300).padStart(3, "0")}`,
      "c-country": `${letters[play % letters.length]}${letters[Math.floor(play / 7) % letters.length]}`,
      "x-edge-result-type": "Hit",
      "cs-protocol": "https",
      "viewer-request-log-data": names[2 * game + (Math.floor(play / games) % 2)] ?? "",
    };
  }
}

const countries = Array.from({ length: 36 }, (_, index) => `${letters[Math.floor(index / 6)]}${letters[index % 6]}`);
const failingPaths = 10;

/** What the query gives of a day of a thousand plays a game: each value as text, by host and release. */
export function* countedRows(games: number): Generator<readonly string[]> {
  for (let game = 0; game < games; game += 1)
    for (const release of [0, 1]) {
      const of = [`game-${game}.games.example.net`, releaseOf(game, release)];
      for (const status of ["200", "304", "404"]) yield [...of, status, "", "", "16500", "0", "1650000000", "0"];
      for (const status of ["200", "304"])
        for (const country of countries) yield [...of, status, "", country, "7", "7", "70000", "210"];
      for (let path = 0; path < failingPaths; path += 1)
        yield [...of, "404", `/assets/level-${path}/texture.webp`, "", "25", "0", "0", "0"];
    }
}
