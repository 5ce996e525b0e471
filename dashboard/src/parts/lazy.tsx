import { type ComponentChildren, type FunctionComponent, h } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Notice } from "./notice.tsx";

/**
 * A component whose code is loaded when it is first shown, so that the first view does not load it.
 *
 * @param meanwhile is shown while it is loaded
 */
export function lazy<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
  meanwhile: ComponentChildren = <p role="status">Loading…</p>,
): FunctionComponent<Props> {
  let loaded: FunctionComponent<Props> | undefined;
  return (props: Props) => {
    const [, setReady] = useState(loaded !== undefined);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (component) => {
          loaded = component;
          setReady(true);
        },
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
    return h(loaded, props);
  };
}
