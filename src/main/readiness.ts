/**
 * Whether this process wants traffic, for `/readyz`. A process is ready when its own phones can be borrowed, and is not
 * ready any more from the moment it begins to shut down, so that load balancers stop choosing it while it still answers.
 */
export class Readiness {
  private state: 'starting' | 'ready' | 'draining' = 'starting';

  /** Why the process does not want traffic; null: it does. */
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
