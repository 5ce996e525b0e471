import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface PageProps {
  readonly title: string;
  readonly lead?: ComponentChildren;
  /** The view that this one belongs to. */
  readonly above?: { readonly href: string; readonly title: string };
  readonly action?: ComponentChildren;
  readonly narrow?: boolean;
  readonly children?: ComponentChildren;
}

/**
 * The heading of a view, which takes the focus when the view changes, so that a screen reader says which view it is.
 *
 * @param title of the view, which the browser's tab shows
 * @param around selects the view's element: what has the focus in it already keeps it, such as a field or a tab
 */
export function useHeading(title: string, around: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · svc`;
    if (!heading.current?.closest(around)?.contains(document.activeElement))
      heading.current?.focus({ preventScroll: true });
  }, [title]);
  return heading;
}

/** One view with its title. */
export function Page({ title, lead, above, action, narrow, children }: PageProps) {
  const heading = useHeading(title, ".page");
  return (
    <div class={narrow ? "page narrow" : "page"}>
      {above && (
        <nav class="above" aria-label="Breadcrumb">
          <a href={above.href}>{above.title}</a> <span aria-hidden="true">/</span>
        </nav>
      )}
      <header class="page-header">
        <div>
          <h1 ref={heading} tabIndex={-1} dir="auto">
            {title}
          </h1>
          {lead && (
            <p class="lead" dir="auto">
              {lead}
            </p>
          )}
        </div>
        {action}
      </header>
      {children}
    </div>
  );
}
