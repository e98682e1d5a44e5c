/** Wakes a loop that works, then sleeps until there is more work or a timeout passes. */
export class Notifier {
  private notified = Promise.withResolvers<void>();

  /** Wakes the loop. If the loop is not waiting now, its next wait returns immediately. */
  notify(): void {
    this.notified.resolve();
  }

  async wait(ms: number): Promise<void> {
    const timer = setTimeout(() => this.notify(), ms);
    await this.notified.promise;
    clearTimeout(timer);
    this.notified = Promise.withResolvers();
  }
}
