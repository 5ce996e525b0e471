/** The product's mark: a block that lands on a row of blocks. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">
      <rect class="mark-ground" x="2" y="20" width="8" height="8" rx="2" />
      <rect class="mark-ground" x="12" y="20" width="8" height="8" rx="2" />
      <rect class="mark-ground" x="22" y="20" width="8" height="8" rx="2" />
      <rect class="mark-block" x="12" y="6" width="8" height="8" rx="2" />
    </svg>
  );
}
