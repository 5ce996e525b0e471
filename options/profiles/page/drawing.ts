type FrameWindow = Window & typeof globalThis;

/** The methods by which a page draws a canvas, by their interfaces: one of them at least is called for each picture. */
const drawingMethods: Readonly<Record<string, readonly string[]>> = {
  CanvasRenderingContext2D: [
    ...["clearRect", "drawImage", "fill", "fillRect", "fillText", "putImageData", "stroke", "strokeRect", "strokeText"],
  ],
  WebGLRenderingContext: ["clear", "drawArrays", "drawElements"],
  WebGL2RenderingContext: [
    ...["blitFramebuffer", "clear", "drawArrays", "drawArraysInstanced", "drawElements", "drawElementsInstanced"],
    "drawRangeElements",
  ],
  GPUCanvasContext: ["getCurrentTexture"],
  ImageBitmapRenderingContext: ["transferFromImageBitmap"],
};

interface Context {
  readonly canvas: HTMLCanvasElement | OffscreenCanvas;
}

type Method = (this: Context, ...values: unknown[]) => unknown;

/** How often the size of a canvas is looked at, which may cost a layout. */
const sizeMilliseconds = 1_000;

/**
 * Notes which canvases are drawn in a window, and in frames of its own. A canvas of less than half of the window is part of a page that moves by
 * other means.
 *
 * @returns a function of the time that tells whether a large canvas was drawn since the last call; true as long as none ever was, since
 * nobody can see then what the page draws
 */
export function watchDrawing(game: FrameWindow): (now: number) => boolean {
  const watched = new WeakSet<FrameWindow>();
  const drawn = new Set<Context["canvas"]>();
  const sizes = new WeakMap<Context["canvas"], { readonly until: number; readonly isLarge: boolean }>();
  let hasEverDrawn = false;
  const watch = (shown: FrameWindow) => {
    if (!watched.has(shown)) {
      watched.add(shown);
      for (const [name, methods] of Object.entries(drawingMethods)) wrap(shown, name, methods, drawn);
    }
    for (let index = 0; index < shown.length; index += 1) {
      try {
        watch(shown[index] as FrameWindow);
      } catch {
        // A frame of another origin cannot be looked into.
      }
    }
  };
  const isLarge = (canvas: Context["canvas"], now: number): boolean => {
    const lastSize = sizes.get(canvas);
    if (lastSize && now < lastSize.until) return lastSize.isLarge;
    const { clientWidth = 0, clientHeight = 0 } = canvas as Partial<HTMLCanvasElement>;
    const isLargeNow = clientWidth * clientHeight * 2 >= game.innerWidth * game.innerHeight;
    sizes.set(canvas, { until: now + sizeMilliseconds, isLarge: isLargeNow });
    return isLargeNow;
  };
  watch(game);
  return (now) => {
    watch(game);
    const hasDrawn = [...drawn].some((canvas) => isLarge(canvas, now));
    drawn.clear();
    hasEverDrawn ||= hasDrawn;
    return hasDrawn || !hasEverDrawn;
  };
}

/** Puts a method that notes the canvas before each of these; a browser has not all of them. */
function wrap(shown: FrameWindow, name: string, methods: readonly string[], drawn: Set<Context["canvas"]>): void {
  const prototype = (shown as unknown as Record<string, { prototype: Record<string, Method> } | undefined>)[name]
    ?.prototype;
  if (prototype === undefined) return;
  for (const method of methods) {
    const original = prototype[method];
    if (original === undefined) continue;
    prototype[method] = function (this: Context, ...values: unknown[]) {
      drawn.add(this.canvas);
      return original.apply(this, values);
    };
  }
}
