import { useState } from "preact/hooks";
import { counted } from "../../format.ts";
import { Button, RowButton } from "../../parts/button.tsx";
import { Notice } from "../../parts/notice.tsx";
import type { RevokedTokens, TrustedPublisher } from "../../resources.ts";
import { PublisherFacts, titleOf } from "../publishers/publisher-facts.tsx";
import { RemovalDialog } from "../publishers/removal-dialog.tsx";

interface RemainingPublishersProps {
  readonly of: RevokedTokens;
  readonly onDone: () => void;
}

/** CI jobs that can still publish after all tokens are revoked, each with a button that removes it. */
export function RemainingPublishers({ of: { revoked, publishers }, onDone }: RemainingPublishersProps) {
  const [open, setOpen] = useState<TrustedPublisher>();
  const [removed, setRemoved] = useState<ReadonlySet<TrustedPublisher>>(new Set());
  const close = () => setOpen(undefined);
  return (
    <>
      <Notice kind="done">{counted(revoked, "token")} revoked.</Notice>
      <p>These CI jobs publish without a token. Remove those that you did not add or do not need any more.</p>
      <ul class="rows in-card">
        {publishers.map((one) => (
          <li key={one.publisher.id} class="row">
            <div class="row-main">
              <h3>{titleOf(one.publisher)}</h3>
              <PublisherFacts publisher={one.publisher}>
                <span>
                  {one.pending ? "may create" : "may publish"} <code>{one.project}</code>
                </span>
              </PublisherFacts>
            </div>
            <div class="row-side">
              {removed.has(one) ? (
                <span class="badge off">Removed</span>
              ) : (
                <RowButton
                  label="Remove"
                  of={`${titleOf(one.publisher)}, ${one.project}`}
                  risky
                  onClick={() => setOpen(one)}
                />
              )}
            </div>
          </li>
        ))}
      </ul>
      <div class="actions">
        <Button kind="primary" onClick={onDone}>
          Done
        </Button>
      </div>
      {open && (
        <RemovalDialog
          of={open}
          onRemoved={async () => {
            setRemoved(new Set([...removed, open]));
            close();
          }}
          onClose={close}
        />
      )}
    </>
  );
}
