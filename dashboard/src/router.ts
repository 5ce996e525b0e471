import { useEffect, useState } from "preact/hooks";

const changed = "svc:path-changed";

/** Goes to another view of the dashboard, by its path or its URL. */
export function navigate(url: string): void {
  history.pushState(null, "", url);
  dispatchEvent(new Event(changed));
  scrollTo(0, 0);
}

/** URL at which an invitation is accepted. The secret is in the fragment, which no server gets. */
export function invitationUrl(slug: string, { id, secret }: { id: string; secret?: string | null }): string {
  return `${location.origin}/invitations/${slug}/${id}${secret ? `#${secret}` : ""}`;
}

/** The page's URL; a view that uses it is drawn again when the path or the query changes. */
export function useUrl(): URL {
  const [href, setHref] = useState(location.href);
  useEffect(() => {
    const update = () => setHref(location.href);
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
  navigate(link.href);
}
