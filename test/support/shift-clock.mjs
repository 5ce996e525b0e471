// Loaded into a process before anything else (`node --import`): its clock is CLOCK_SHIFT_SECONDS ahead.
const milliseconds = Number(process.env["CLOCK_SHIFT_SECONDS"]) * 1_000;
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + milliseconds);
    else super(...parts);
  }

  static now() {
    return RealDate.now() + milliseconds;
  }
};
