const QUIET_MILLISECONDS = 300;

/** Work that is done once, a moment after the last time it was wanted. */
export class Postponed {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly work: () => unknown) {}

  soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.work(), QUIET_MILLISECONDS);
  }

  dispose(): void {
    clearTimeout(this.timer);
  }
}
