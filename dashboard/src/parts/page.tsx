import type { ComponentChildren } from "preact";
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

/** One view: its title takes the focus when the view changes, so that a screen reader says which view it is. */
export function Page({ title, lead, above, action, narrow, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · svc`;
    // A field of the view may have taken it already.
    if (!heading.current?.closest(".page")?.contains(document.activeElement))
      heading.current?.focus({ preventScroll: true });
  }, [title]);
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
