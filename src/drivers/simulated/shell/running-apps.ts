import type { Canvas } from '@napi-rs/canvas';
import type { App, AppDefinition, AppHost } from '../apps/app.ts';
import type { RecentApp } from './app-switcher.ts';

interface RunningApp {
  readonly definition: AppDefinition;
  readonly app: App;
  snapshot: Canvas | null;
}

/** The running apps, most recently used first. */
export class RunningApps {
  readonly #host: AppHost;
  readonly #running: RunningApp[] = [];

  constructor(host: AppHost) {
    this.#host = host;
  }

  get recents(): readonly RecentApp[] {
    return this.#running;
  }

  get(definition: AppDefinition): App | undefined {
    return this.#running.find((running) => running.definition === definition)?.app;
  }

  /** Brings an app to the foreground. `fresh` is true if it was not running. */
  use(definition: AppDefinition): { app: App; fresh: boolean } {
    const index = this.#running.findIndex((running) => running.definition === definition);
    const [known] = index < 0 ? [] : this.#running.splice(index, 1);
    const running = known ?? { definition, app: definition.start(this.#host), snapshot: null };
    this.#running.unshift(running);
    return { app: running.app, fresh: known === undefined };
  }

  keepSnapshot(definition: AppDefinition, snapshot: Canvas): void {
    const running = this.#running.find((candidate) => candidate.definition === definition);
    if (running) running.snapshot = snapshot;
  }

  /** Returns true if the app was running. */
  stop(definition: AppDefinition): boolean {
    const index = this.#running.findIndex((running) => running.definition === definition);
    const [stopped] = index < 0 ? [] : this.#running.splice(index, 1);
    stopped?.app.onHide?.();
    return stopped !== undefined;
  }

  stopAll(): void {
    for (const { definition } of [...this.#running]) this.stop(definition);
  }
}
