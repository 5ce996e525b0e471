import { useEffect, useRef, useState } from "preact/hooks";

const changed = "svc:path-changed";

/** Goes to another view of the dashboard, by its path or its URL. */
export function navigate(url: string): void {
  // Where it was on the page that is left, for whoever goes back.
  history.replaceState({ top: scrollY }, "");
  history.pushState(null, "", url);
  dispatchEvent(new Event(changed));
  scrollTo(0, 0);
}

const leaving = "svc:leaving";

/** Goes where a person wants to, unless something on the page asks before. */
export function follow(url: string): void {
  const leave = () => navigate(url);
  if (mayLeave(leave)) leave();
}

function mayLeave(leave: () => void): boolean {
  return dispatchEvent(new CustomEvent(leaving, { cancelable: true, detail: leave }));
}

/** Calls `ask` before a person leaves the view, by Back too; if it returns true they stay, and `leave` goes on. @returns what ends that */
export function hearLeaving(ask: (leave: () => void) => boolean): () => void {
  const hear = (event: Event) => {
    if (!ask((event as CustomEvent<() => void>).detail)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener(leaving, hear);
  return () => removeEventListener(leaving, hear);
}

/** Writes what is chosen in a view into its URL, without an entry of its own in the browser's history; what is empty is left out. */
export function replaceQuery(chosen: Readonly<Record<string, string>>): void {
  const query = new URLSearchParams(Object.entries(chosen).filter(([, value]) => value !== ""));
  history.replaceState(history.state, "", query.size > 0 ? `?${query}` : location.pathname);
}

/** The parts below, which make the page long enough, are read within this time, or the person has begun to read. */
const returnMilliseconds = 1_000;

/** Shows the page that somebody goes back to where they left it, once its view is drawn. */
export function useReturn(): void {
  useEffect(() => {
    const comeBack = ({ state }: PopStateEvent) => {
      const { top } = (state ?? {}) as { readonly top?: number };
      const { href } = location;
      const end = performance.now() + returnMilliseconds;
      const scroll = () => {
        if (top === undefined || location.href !== href || performance.now() > end) return;
        scrollTo(0, top);
        if (Math.abs(scrollY - top) > 1) requestAnimationFrame(scroll);
      };
      requestAnimationFrame(() => requestAnimationFrame(scroll));
    };
    addEventListener("popstate", comeBack);
    return () => removeEventListener("popstate", comeBack);
  }, []);
}

/** URL at which an invitation is accepted. The secret is in the fragment, which no server gets. */
export function invitationUrl(slug: string, { id, secret }: { id: string; secret?: string | null }): string {
  return `${location.origin}/invitations/${slug}/${id}${secret ? `#${secret}` : ""}`;
}

/** The page's URL; a view that uses it is drawn again when the path or the query changes. */
export function useUrl(): URL {
  const [href, setHref] = useState(location.href);
  const shown = useRef(href);
  useEffect(() => {
    const update = (event: Event) => {
      const isOther = new URL(shown.current).pathname !== location.pathname;
      if (event.type === "popstate" && isOther && !mayLeave(() => history.back())) {
        // Back has left the view's entry: it gets another one, which Back leaves then.
        event.stopImmediatePropagation();
        history.pushState(null, "", shown.current);
        return;
      }
      shown.current = location.href;
      setHref(shown.current);
    };
    addEventListener("popstate", update);
    addEventListener(changed, update);
    return () => {
      removeEventListener("popstate", update);
      removeEventListener(changed, update);
    };
  }, []);
  return new URL(href);
}

/** Follows a link inside the dashboard without loading the page again; other clicks keep the browser's behaviour. */
export function followLink(event: MouseEvent): void {
  const link = (event.target as Element).closest("a");
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (link === null || !isPlain || link.target !== "" || link.origin !== location.origin) return;
  // The browser moves to a part of the view itself, and with it the focus.
  if (link.hash !== "" && link.pathname === location.pathname) return;
  event.preventDefault();
  follow(link.href);
}
