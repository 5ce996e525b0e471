import { bytesInWords, counted, number } from "../../../dashboard/src/format.ts";
import { nothing, Table, Wide } from "../../../dashboard/src/parts/table.tsx";
import type { Load } from "./analysis.ts";

interface Span {
  readonly name: string;
  readonly at: number;
  readonly duration: number;
  readonly transferred?: number;
  readonly decoded?: number;
  readonly encoding?: string | undefined;
}

/** Names of encodings for people; others have their own. */
const encodings: Readonly<Record<string, string>> = { br: "Brotli", dcz: "what changed", dcb: "what changed" };

const filesShown = 100;

/** Times when the page and its files were loaded, from the first request on. */
export function Waterfall({ load: { document, files, later } }: { load: Load }) {
  const all: Span[] = [
    ...(document ? [{ name: "The page", at: document.at, duration: document.loaded }] : []),
    ...files,
  ];
  if (all.length === 0) return null;
  const shown = all.slice(0, filesShown);
  const first = shown.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
  const last = shown.reduce((most, { at, duration }) => Math.max(most, at + duration), 0);
  const left = all.length - shown.length + later;
  return (
    <section class="card">
      <h2>Load</h2>
      <Wide label="Load">
        <Table
          label="Load"
          columns={["File", "When", "Took", "Transferred", "Encoding", "Unpacked"]}
          rows={shown.map((span) => [
            <bdi key="">{span.name}</bdi>,
            <Bar key="" from={(span.at - first) / (last - first || 1)} length={span.duration / (last - first || 1)} />,
            `${number(span.duration)} ms`,
            inWords(span.transferred),
            // Older browsers do not tell it.
            span.encoding === undefined ? nothing : (encodings[span.encoding] ?? span.encoding),
            inWords(span.decoded),
          ])}
        />
      </Wide>
      {left > 0 && <p class="hint">And {counted(left, "file")} later.</p>}
      <p class="hint">
        A file of 0 B came from the browser’s own cache, or from another origin that does not tell its size.
      </p>
    </section>
  );
}

function inWords(bytes: number | undefined): string {
  return bytes === undefined ? nothing : bytesInWords(bytes);
}

/** Bar of a span in the whole; both numbers from 0 to 1. */
function Bar({ from, length }: { from: number; length: number }) {
  return (
    <svg class="bar-of-time" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect x={from * 100} width={Math.max(0.5, length * 100)} height="10" />
    </svg>
  );
}
