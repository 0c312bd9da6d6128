const QUIET_MILLISECONDS = 300;

/** Work that is done once, a moment after the last time it was wanted. */
export class Postponed {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly work: () => unknown,
    private readonly milliseconds = QUIET_MILLISECONDS,
  ) {}

  soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.work(), this.milliseconds);
  }

  dispose(): void {
    clearTimeout(this.timer);
  }
}
