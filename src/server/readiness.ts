/**
 * Whether this process accepts traffic, for `/readyz`. A process is ready when its own phones can be borrowed. It
 * becomes unready as soon as it begins to shut down, so that load balancers stop selecting it while it still
 * responds.
 */
export class Readiness {
  private state: 'starting' | 'ready' | 'draining' = 'starting';

  /** Why the process does not accept traffic; null when it does. */
  get problem(): string | null {
    if (this.state === 'starting') return 'the service is starting';
    return this.state === 'draining' ? 'the service is shutting down' : null;
  }

  markReady(): void {
    if (this.state === 'starting') this.state = 'ready';
  }

  markDraining(): void {
    this.state = 'draining';
  }
}
