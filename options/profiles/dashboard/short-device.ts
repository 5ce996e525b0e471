/** A device without its graphics card: "Firefox 140 on Android". */
export function shortDevice(device: string): string {
  return device.split(", ", 1)[0] ?? device;
}
