import decodeQR from "qr/decode.js";

/**
 * Text of the QR code in a screenshot, as a phone's camera reads it.
 *
 * @param evaluate of a page without a policy, about:blank: a browser decodes the PNG
 */
export async function qrCodeIn(png: Buffer, evaluate: (expression: string) => Promise<unknown>): Promise<string> {
  const pixels = (await evaluate(`(async () => {
    const response = await fetch("data:image/png;base64,${png.toString("base64")}");
    const bitmap = await createImageBitmap(await response.blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
    let text = "";
    for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192));
    return { data: btoa(text), width, height };
  })()`)) as { data: string; width: number; height: number };
  return decodeQR({ ...pixels, data: new Uint8Array(Buffer.from(pixels.data, "base64")) });
}
