/** Brotli quality, 0 to 11. Higher saves a few percent and is several times slower, while whoever publishes waits. */
const usualQuality = 5;
/** Quality for an engine's WebAssembly, which is most of what players load and rarely changes: 8 or 9 s for 38 MB (decision 58). */
const engineQuality = 9;
/** Files that are larger than any engine get the usual quality. */
const largestEngineBytes = 64 * 1024 * 1024;

/** The Brotli quality of a file's variant. */
export function variantQuality({ path, size }: { readonly path: string; readonly size: number }): number {
  return /\.wasm$/i.test(path) && size <= largestEngineBytes ? engineQuality : usualQuality;
}
