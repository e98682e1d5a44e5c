/** For a loop that works, then sleeps until there is more to do or a time is over. */
export class Bell {
  private rung = Promise.withResolvers<void>();

  /** Wakes whoever waits; who does not wait now will not sleep the next time. */
  ring(): void {
    this.rung.resolve();
  }

  async wait(ms: number): Promise<void> {
    const timer = setTimeout(() => this.ring(), ms);
    await this.rung.promise;
    clearTimeout(timer);
    this.rung = Promise.withResolvers();
  }
}
