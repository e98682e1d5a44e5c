import { bind } from '../engine/bind.ts';
import type { Engine } from '../engine/engine.ts';
import { getHost, listHosts } from './fleet-hosts.ts';
import { createHost, revokeHost } from './host-credentials.ts';
import type { HostStore } from './host-store.ts';
import { reportHost } from './report-host.ts';

export const hostStore = (engine: Engine): HostStore =>
  bind(engine, { reportHost, createHost, listHosts, getHost, revokeHost });
