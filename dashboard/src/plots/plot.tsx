import type { ComponentChildren } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { Notice } from "../parts/notice.tsx";
import type { PlotContent } from "./plot-content.ts";

interface PlotProps {
  readonly title: string;
  /** Content in words: all that a screen reader gets of the plot, so the same numbers must be in a table beside it. */
  readonly label: string;
  /** Another object draws it anew. */
  readonly content: PlotContent;
  /** Below it, such as the numbers as a table. */
  readonly children?: ComponentChildren;
}

/**
 * A plot in the colours of the page, light or dark, as wide as its place is. Above it stand the names of its series; with a pointer over it
 * also the values there.
 */
export function Plot({ title, label, content, children }: PlotProps) {
  const { place, index, failed } = useDrawing(content);
  const id = useId();
  const { x, series, xAxis, yAxis } = content;
  const at = index === null ? undefined : x[index];
  return (
    <figure class="card plot">
      <figcaption class="titled">
        <h2>{title}</h2>
        <span id={id} class="visually-hidden">
          {label}
        </span>
        <ul class="meta" aria-hidden="true">
          {series.map((each) => {
            const value = index === null ? null : each.values[index];
            return (
              <li key={each.label}>
                <span class={`swatch ${each.look.replace(" ", "-")}`} />
                {each.label}
                {typeof value === "number" && <b> {yAxis.format(value)}</b>}
              </li>
            );
          })}
          {at !== undefined && <li>{xAxis.format(at)}</li>}
        </ul>
      </figcaption>
      {failed ? (
        <Notice kind="problem">This plot cannot be loaded. Check your connection, then load the page again.</Notice>
      ) : (
        <div ref={place} class="plot-place" role="img" aria-labelledby={id} />
      )}
      {children}
    </figure>
  );
}

/** Draws into an element, and knows which values are under the pointer. */
function useDrawing(content: PlotContent) {
  const place = useRef<HTMLDivElement>(null);
  const [index, setIndex] = useState<number | null>(null);
  const [failed, setFailed] = useState(false);
  const scheme = useColourScheme();
  useEffect(() => {
    let isWanted = true;
    let remove = () => {};
    import("./drawing.ts").then(
      ({ drawPlot }) => {
        if (isWanted && place.current !== null) remove = drawPlot(place.current, content, setIndex);
      },
      () => setFailed(true),
    );
    return () => {
      isWanted = false;
      remove();
    };
  }, [content, scheme]);
  return { place, index, failed };
}

/** Another value after the reader has changed between light and dark. */
function useColourScheme(): boolean {
  const query = useMemo(() => matchMedia("(prefers-color-scheme: dark)"), []);
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const update = () => setDark(query.matches);
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, [query]);
  return isDark;
}
