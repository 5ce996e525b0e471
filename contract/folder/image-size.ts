/** Pixels of an image. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Bytes of an image that are read for its size: photographs have up to 64 KiB of each kind of notes before it. */
export const imageHeadBytes = 256 * 1024;

/**
 * The size of a raster image that its first {@link imageHeadBytes} say: PNG, JPEG, GIF and WebP, which all sites show. What it is follows from the bytes, not from a
 * name. A photograph that lies on its side has the size of its pixels.
 *
 * @returns undefined for a drawing, another format, and bytes that are no image
 */
export function imageSizeOf(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const size = sizeIn(view, (start, end) => String.fromCharCode(...bytes.subarray(start, end)));
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    // The bytes end before they say it.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function sizeIn(view: DataView, text: (start: number, end: number) => string): ImageSize | undefined {
  // PNG, section 11.2.1 (IHDR comes first).
  if (text(0, 8) === "\x89PNG\r\n\x1a\n") return { width: view.getUint32(16), height: view.getUint32(20) };
  if (/^GIF8[79]a$/.test(text(0, 6))) return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  if (text(0, 4) === "RIFF" && text(8, 12) === "WEBP") return sizeInWebp(view, text(12, 16));
  if (view.getUint16(0) === 0xffd8) return sizeInJpeg(view);
  return undefined;
}

/** WebP Container Specification; RFC 6386, section 9.1; "WebP Lossless Bitstream", section 3. */
function sizeInWebp(view: DataView, kind: string): ImageSize | undefined {
  if (kind === "VP8 ") return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  const bits = view.getUint32(21, true);
  if (kind === "VP8L") return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  const low = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x1_0000 + 1;
  return kind === "VP8X" ? { width: low(24), height: low(27) } : undefined;
}

/** ITU-T T.81, section B.1.1.3: segments up to the one that begins a frame (SOF0 to SOF15, without DHT, JPG and DAC). */
function sizeInJpeg(view: DataView): ImageSize | undefined {
  let at = 2;
  while (view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    // A fill byte stands alone.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}
