import { type ComponentChildren, type FunctionComponent, h } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Notice } from "./notice.tsx";

/** Code that is loaded when it is needed. */
export interface LazyCode<Code> {
  /** Undefined until it is loaded. */
  current(): Code | undefined;
  /** @throws Error if it cannot be loaded */
  load(): Promise<Code>;
}

/**
 * A component whose code is loaded when it is first shown, so that the first view does not load it. If the code is there by then, for
 * another component, it is shown at once.
 *
 * @param select finds the component in the code
 * @param meanwhile is shown while it is loaded
 */
export function lazy<Code, Props extends object>(
  code: LazyCode<Code>,
  select: (code: Code) => FunctionComponent<Props>,
  meanwhile: ComponentChildren = <p role="status">Loading…</p>,
): FunctionComponent<Props> {
  return (props: Props) => {
    const [loaded, setLoaded] = useState(code.current());
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      if (loaded === undefined)
        code.load().then(
          (now) => setLoaded(() => now),
          () => setFailed(true),
        );
    }, []);
    if (failed)
      return (
        <Notice kind="problem">
          This part of the page cannot be loaded. Check your connection, then load the page again.
        </Notice>
      );
    if (loaded === undefined) return meanwhile;
    return h(select(loaded), props);
  };
}
